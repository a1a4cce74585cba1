import { describe, expect, test } from 'vitest'
import {
  endAuthorizationsOfClient,
  endAuthorizationsOfPerson,
} from '../../src/domain/grants/authorizations.ts'
import { mintToken } from '../../src/foundation/protocol/token-format.ts'
import { verifies } from '../spec/verifies.ts'
import type { Answer } from '../support/browser-like.ts'
import { aPair, userinfo } from '../support/client-like.ts'
import {
  agePair,
  anOperatorPair,
  deletePerson,
  pairIdOf,
  removeOwner,
  setRoles,
} from '../support/oauth-world.ts'
import { sharedWorld, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const elsewhere = await world.aSchool()
const client = await world.aPublicClient(school)
const ada = await world.aMember(school)
await world.aMember(elsewhere, ['student'], ada)

function withHeader(at: TestSchool, authorization: string): Promise<Answer> {
  return world.app.inject({
    url: '/api/oauth/userinfo',
    headers: { host: new URL(at.origin).host, authorization },
  })
}

function expectInvalidToken(answer: Answer, at: TestSchool): void {
  expect(answer.statusCode).toBe(401)
  expect(answer.json()).toEqual({
    error: 'invalid_token',
    error_description: expect.stringMatching(/\S/),
    error_uri: `${at.origin}/docs/errors#invalid_token`,
  })
  const challenge = String(answer.headers['www-authenticate'])
  expect(challenge).toMatch(/^Bearer /)
  expect(challenge).toContain('error="invalid_token"')
  expect(challenge).toContain(
    `resource_metadata="${at.origin}/.well-known/oauth-protected-resource"`,
  )
  expect(answer.headers['cache-control']).toBe('no-store')
}

describe('a bad token is 401 with a challenge that leads to the metadata', () => {
  const bad: readonly [string, (token: string) => string][] = [
    ['garbage', () => 'Bearer garbage'],
    ['no token after the scheme', () => 'Bearer'],
    ['two tokens', (token) => `Bearer ${token} ${token}`],
    ['another scheme', (token) => `Basic ${token}`],
    ['a token without a scheme', (token) => token],
    ['a cut token', (token) => `Bearer ${token.slice(0, -1)}`],
    ['one character more', (token) => `Bearer ${token}0`],
    ['a forged checksum', (token) => `Bearer ${token.slice(0, -8)}00000000`],
    ['quotes and line noise', () => 'Bearer a"b,c="d'],
    ['a very long token', () => `Bearer ${'a'.repeat(5000)}`],
    ['a JWT', () => 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.'],
  ]
  for (const [what, header] of bad) {
    verifies(
      ['errors.bearer.bad-token', 'challenge.invalid-token.points-to-metadata', 'bearer.body'],
      `${what} is invalid_token`,
      async () => {
        const pair = await aPair(world, school, client, ada)
        expectInvalidToken(await withHeader(school, header(pair.access_token)), school)
        expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
      },
    )
  }

  test('no token at all, since UserInfo has no anonymous mode', async () => {
    expectInvalidToken(await userinfo(world, school), school)
  })

  test('the scheme may be written in any case', async () => {
    const pair = await aPair(world, school, client, ada)
    for (const scheme of ['bearer', 'BEARER']) {
      expect((await withHeader(school, `${scheme} ${pair.access_token}`)).statusCode).toBe(200)
    }
  })

  test('a token whose id is real and whose secret is not', async () => {
    const pair = await aPair(world, school, client, ada)
    const forged = mintToken('access', pairIdOf(pair))
    expectInvalidToken(await userinfo(world, school, forged.value), school)
  })

  verifies('pair.access.two-hours', 'an access token two hours old', async () => {
    const pair = await aPair(world, school, client, ada)
    await agePair(world, pair, '1 hour 59 minutes')
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
    await agePair(world, pair, '1 minute')
    expectInvalidToken(await userinfo(world, school, pair.access_token), school)
  })

  verifies('bearer.not-in-query', 'a token in the query string is not accepted', async () => {
    const pair = await aPair(world, school, client, ada)
    const answer = await world.app.inject({
      url: `/api/oauth/userinfo?access_token=${pair.access_token}`,
      headers: { host: new URL(school.origin).host },
    })
    expectInvalidToken(answer, school)
  })
})

describe('a token of another school', () => {
  verifies(
    [
      'binding.to-origin',
      'binding.other-origin',
      'binding.challenge-names-called',
      'rfc9700.audience',
    ],
    'is 401 that names the called origin and never the bound one, even if the person is a member of both',
    async () => {
      const pair = await aPair(world, school, client, ada)
      const answer = await userinfo(world, elsewhere, pair.access_token)
      expectInvalidToken(answer, elsewhere)
      const everything = JSON.stringify([answer.headers, answer.body])
      for (const secret of [school.origin, school.subdomain, school.id]) {
        expect(everything).not.toContain(secret)
      }
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
    },
  )

  test('an operator token works only at its school', async () => {
    const owner = await world.aMember(school, ['admin'])
    const pair = await anOperatorPair(world, school, owner)
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
    expect((await userinfo(world, elsewhere, pair.access_token)).statusCode).toBe(401)
  })

  test('an expired one is answered like a made-up one, so it reveals no school', async () => {
    const pair = await aPair(world, school, client, ada)
    await agePair(world, pair, '3 hours')
    const expired = await userinfo(world, elsewhere, pair.access_token)
    const garbage = await userinfo(world, elsewhere, 'garbage')
    expect(expired.body).toBe(garbage.body)
  })
})

describe('the person behind a token', () => {
  verifies(
    'bearer.member-left',
    'without a role, or deleted, gets 401 at once; with a new role 200 again',
    async () => {
      const leaver = await world.aMember(school)
      const pair = await aPair(world, school, client, leaver)
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
      await setRoles(school, leaver, [])
      expectInvalidToken(await userinfo(world, school, pair.access_token), school)
      await setRoles(school, leaver, ['student'])
      expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
      await deletePerson(world, leaver)
      expectInvalidToken(await userinfo(world, school, pair.access_token), school)
    },
  )

  test('who is no longer owner or admin loses the operator token, with or without other roles', async () => {
    const owner = await world.aMember(school, ['owner'])
    const pair = await anOperatorPair(world, school, owner)
    await setRoles(school, owner, ['student', 'lecturer'])
    expectInvalidToken(await userinfo(world, school, pair.access_token), school)
  })

  test('a record without a resource owner is refused as not bound to a user', async () => {
    const pair = await aPair(world, school, client, ada)
    await removeOwner(world, pair)
    const answer = await userinfo(world, school, pair.access_token)
    expectInvalidToken(answer, school)
    expect(answer.json().error_description).toContain('not bound to a user')
  })

  verifies(
    'pair.person-deleted.ends-tokens',
    'deleting a person ends every authorization they gave, at every school',
    async () => {
      const ben = await world.aMember(school)
      await world.aMember(elsewhere, ['student'], ben)
      const here = await aPair(world, school, client, ben)
      const there = await aPair(world, elsewhere, await world.aPublicClient(elsewhere), ben)
      expect(await endAuthorizationsOfPerson(world.database.db, ben.id)).toHaveLength(2)
      expect((await userinfo(world, school, here.access_token)).statusCode).toBe(401)
      expect((await userinfo(world, elsewhere, there.access_token)).statusCode).toBe(401)
    },
  )

  verifies(
    'client.deleted.ends-tokens',
    'ending all authorizations of a client stops its tokens and no others',
    async () => {
      const ended = await world.aPublicClient(school)
      const lost = await aPair(world, school, ended, ada)
      const kept = await aPair(world, school, client, ada)
      expect(await endAuthorizationsOfClient(school.db, ended.clientId, 10)).toBe(1)
      expect((await userinfo(world, school, lost.access_token)).statusCode).toBe(401)
      expect((await userinfo(world, school, kept.access_token)).statusCode).toBe(200)
    },
  )
})
