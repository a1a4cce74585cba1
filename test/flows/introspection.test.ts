import { describe, expect, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { aPair, postForm, refresh, revoke } from '../support/client-like.ts'
import {
  agePair,
  anOperatorPair,
  CLAUDE,
  deletePerson,
  removeOwner,
  removeSchool,
  setRoles,
} from '../support/oauth-world.ts'
import { sharedWorld, type TestClient } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool({ variant: 'older', signing: 'none' })
const client = await world.aPublicClient(school)
const keeper = await world.aConfidentialClient(school)
const ada = await world.aMember(school)

const introspect = (
  token: string,
  app: TestClient = client,
  overrides: Record<string, string | undefined> = {},
) =>
  postForm(world, school, '/api/oauth/introspect', {
    token,
    client_id: app.clientId,
    client_secret: app.secret,
    ...overrides,
  })

const INACTIVE = { active: false }

verifies('client.basic-refused', 'credentials by HTTP Basic are 401 with a challenge', async () => {
  const pair = await aPair(world, school, keeper, ada)
  const basic = Buffer.from(`${keeper.clientId}:${keeper.secret}`).toString('base64')
  const fields = { token: pair.access_token, client_id: keeper.clientId }
  const headers = { authorization: `Basic ${basic}` }
  const answer = await postForm(world, school, '/api/oauth/introspect', fields, headers)
  expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client'])
  expect(answer.headers['www-authenticate']).toBe(`Basic realm="${school.origin}"`)
})

describe('introspection on an older origin', () => {
  verifies(
    ['introspect.path', 'introspect.older.binding', 'introspect.aud-and-school', 'introspect.sub'],
    'describes the live tokens of the client: binding, school and person',
    async () => {
      const pair = await aPair(world, school, client, ada)
      const access = await introspect(pair.access_token)
      expect(access.statusCode).toBe(200)
      expect(access.headers['cache-control']).toBe('no-store')
      expect(access.json()).toEqual({
        active: true,
        scope: pair.scope,
        client_id: client.clientId,
        token_type: 'Bearer',
        iss: school.origin,
        iat: expect.any(Number),
        exp: expect.any(Number),
        sub: ada.id,
        aud: school.origin,
        school_id: school.id,
      })
      expect(access.json().exp - access.json().iat).toBe(7200)
      const old = (await introspect(pair.refresh_token)).json()
      expect(old).toMatchObject({ active: true, token_type: 'refresh_token', sub: ada.id })
      expect(old.exp - old.iat).toBe(90 * 24 * 3600)
    },
  )

  verifies(
    'introspect.own-tokens',
    'answers tokens of other clients like garbage: inactive',
    async () => {
      const pair = await aPair(world, school, client, ada)
      const foreign = await world.aSchool({ variant: 'older' })
      const stranger = await world.aPublicClient(foreign)
      const theirs = await aPair(world, foreign, stranger, await world.aMember(foreign))
      const tokens = [theirs.access_token, theirs.refresh_token, 'garbage', 'sg_at_']
      for (const token of tokens) expect((await introspect(token)).json()).toEqual(INACTIVE)
      for (const token of [pair.access_token, pair.refresh_token]) {
        expect((await introspect(token, keeper)).json()).toEqual(INACTIVE)
      }
    },
  )

  verifies('introspect.secret', 'requires the secret of a confidential client', async () => {
    const pair = await aPair(world, school, keeper, ada)
    for (const client_secret of [undefined, 'wrong']) {
      const answer = await introspect(pair.access_token, keeper, { client_secret })
      expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client'])
    }
    expect((await introspect(pair.access_token, keeper)).json().active).toBe(true)
  })

  test('an unknown client is 401, a missing token or client_id is invalid_request', async () => {
    const unknown = await introspect('x', client, { client_id: 'unknown' })
    expect([unknown.statusCode, unknown.json().error]).toEqual([401, 'invalid_client'])
    for (const overrides of [{ token: undefined }, { client_id: undefined }]) {
      const answer = await introspect('x', client, overrides)
      expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_request'])
    }
  })

  test('tokens that the APIs refuse are inactive: expired, revoked, retired, person deleted', async () => {
    const expired = await aPair(world, school, client, ada)
    await agePair(world, expired, '2 hours')
    expect((await introspect(expired.access_token)).json()).toEqual(INACTIVE)
    expect((await introspect(expired.refresh_token)).json().active).toBe(true)
    const revoked = await aPair(world, school, client, ada)
    await revoke(world, school, client, revoked.refresh_token)
    expect((await introspect(revoked.access_token)).json()).toEqual(INACTIVE)
    const leaver = await world.aMember(school)
    const left = await aPair(world, school, client, leaver)
    await setRoles(school, leaver, [])
    expect((await introspect(left.access_token)).json()).toEqual(INACTIVE)
    await setRoles(school, leaver, ['student'])
    await deletePerson(world, leaver)
    expect((await introspect(left.access_token)).json()).toEqual(INACTIVE)
    const owner = await world.aMember(school, ['owner'])
    const operator = await anOperatorPair(world, school, owner)
    expect((await introspect(operator.access_token, CLAUDE)).json()).toMatchObject({
      active: true,
      sub: owner.id,
    })
    await setRoles(school, owner, ['student'])
    expect((await introspect(operator.access_token, CLAUDE)).json()).toEqual(INACTIVE)
  })

  test('a record without an owner has no sub, one without a binding no school_id', async () => {
    const pair = await aPair(world, school, client, ada)
    await removeSchool(world, pair)
    await removeOwner(world, pair)
    const answer = (await introspect(pair.access_token)).json()
    expect(answer).toMatchObject({ active: true, aud: school.origin })
    expect(answer).not.toHaveProperty('sub')
    expect(answer).not.toHaveProperty('school_id')
  })

  test('operator tokens have no school_id, as their token response has none', async () => {
    const owner = await world.aMember(school, ['admin'])
    const pair = await anOperatorPair(world, school, owner)
    const young = (await refresh(world, school, CLAUDE, pair.refresh_token)).json()
    expect((await introspect(young.access_token, CLAUDE)).json()).not.toHaveProperty('school_id')
  })
})
