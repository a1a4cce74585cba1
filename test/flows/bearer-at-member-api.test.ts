import { describe, expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { aPair, refresh, userinfo } from '../support/client-like.ts'
import { postGraphQL } from '../support/member-api.ts'
import {
  anOperatorPair,
  deletePerson,
  isLive,
  pairRow,
  removeSchool,
} from '../support/oauth-world.ts'
import { sharedWorld } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const client = await world.aPublicClient(school)
const ada = await world.aMember(school)
const ask = (token: string) => postGraphQL(world, school, token, { query: '{ viewer { id } }' })

test('the token of a deleted person is refused, even if a role row remains', async () => {
  const leaver = await world.aMember(school)
  const pair = await aPair(world, school, client, leaver)
  expect((await ask(pair.access_token)).statusCode).toBe(200)
  await deletePerson(world, leaver)
  const answer = await ask(pair.access_token)
  expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_token'])
})

describe('the bearer check where a binding and scopes are required', () => {
  verifies(
    'token.response.school-id.is-the-checked-one',
    'a token with school_id is accepted; a record without it is refused as of another organization',
    async () => {
      const pair = await aPair(world, school, client, ada)
      expect(pair.school_id).toBe(school.id)
      expect((await ask(pair.access_token)).statusCode).toBe(200)
      await removeSchool(world, pair)
      const young = (await refresh(world, school, client, pair.refresh_token)).json()
      for (const token of [pair.access_token, young.access_token]) {
        const answer = await ask(token)
        expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_token'])
        expect(answer.json().error_description).toContain('different organization')
        expect(answer.headers['www-authenticate']).toContain('resource_metadata=')
      }
      // The refusal comes before the first use is recorded, so the parent is not retired.
      expect((await pairRow(world, young)).first_used_at).toBeNull()
    },
  )

  verifies(
    'binding.unbound.reauthorize',
    'only a new authorization fixes that, a refresh does not',
    async () => {
      const pair = await aPair(world, school, client, ada)
      await removeSchool(world, pair)
      const young = (await refresh(world, school, client, pair.refresh_token)).json()
      expect((await ask(young.access_token)).statusCode).toBe(401)
      const again = await aPair(world, school, client, ada)
      expect((await ask(again.access_token)).statusCode).toBe(200)
    },
  )

  verifies(
    ['challenge.insufficient-scope.points-to-metadata', 'pair.first-use.despite-scope-refusal'],
    'a token without the scope is 403 with the metadata URL, and this counts as its first use',
    async () => {
      const old = await aPair(world, school, client, ada, { scope: 'openid' })
      const young = (await refresh(world, school, client, old.refresh_token)).json()
      const answer = await ask(young.access_token)
      expect([answer.statusCode, answer.json().error]).toEqual([403, 'insufficient_scope'])
      const challenge = String(answer.headers['www-authenticate'])
      expect(challenge).toContain('error="insufficient_scope"')
      expect(challenge).toContain(
        `resource_metadata="${school.origin}/.well-known/oauth-protected-resource"`,
      )
      expect(await isLive(world, old)).toBe(false)
      expect((await userinfo(world, school, young.access_token)).statusCode).toBe(200)
    },
  )

  test('an operator token has no binding and is refused here', async () => {
    const owner = await world.aMember(school, ['owner'])
    const pair = await anOperatorPair(world, school, owner)
    expect((await ask(pair.access_token)).statusCode).toBe(401)
  })

  test('a GraphQL call is a first use that retires the parent', async () => {
    const old = await aPair(world, school, client, ada)
    const young = (await refresh(world, school, client, old.refresh_token)).json()
    expect((await ask(young.access_token)).statusCode).toBe(200)
    expect(await isLive(world, old)).toBe(false)
  })
})
