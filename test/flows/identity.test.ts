import { createPrivateKey } from 'node:crypto'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { SIGNING_KEY_PURPOSE } from '../../src/domain/schools/signing.ts'
import { generateEs256Key } from '../../src/foundation/crypto/es256.ts'
import { seal } from '../../src/foundation/crypto/seal.ts'
import { verifies } from '../spec/verifies.ts'
import { aPair, type Pair, refresh, userinfo } from '../support/client-like.ts'
import { anOperatorPair, getFrom } from '../support/oauth-world.ts'
import { sharedWorld, type TestSchool } from '../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const client = await world.aPublicClient(school)
const ada = await world.aMember(school, ['lecturer', 'student'])

async function verify(at: TestSchool, idToken: string) {
  const keys = (await getFrom(world, at, '/.well-known/jwks.json')).json()
  return await jwtVerify(idToken, createLocalJWKSet(keys))
}

async function pairWith(scope: string, parameters = {}): Promise<Pair> {
  return await aPair(world, school, client, ada, { scope, parameters })
}

function idTokenOf(pair: Pair): string {
  if (pair.id_token === undefined) throw new Error('no ID token')
  return pair.id_token
}

const IDENTITY = ['sub', 'email', 'name', 'picture', 'org_id', 'roles'] as const

describe('UserInfo', () => {
  verifies(
    [
      'userinfo.claims',
      'userinfo.sub.user-id',
      'userinfo.bearer-header',
      'flow.bearer-header',
      'claims.org-id',
      'oidcc-userinfo-get',
      'oidcc-scope-all',
      'scope.profile',
      'scope.email',
    ],
    'has the claims of the person at this school, and nothing of the binding',
    async () => {
      const pair = await pairWith('openid profile email')
      const answer = await userinfo(world, school, pair.access_token)
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['content-type']).toMatch(/^application\/json/)
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(answer.json()).toEqual({
        sub: ada.id,
        email: ada.email,
        name: ada.name,
        picture: `${school.origin}/assets/mark.svg`,
        org_id: school.id,
        roles: ['lecturer', 'student'],
      })
    },
  )

  const byScope: readonly [string, readonly string[]][] = [
    ['openid', []],
    ['openid profile', ['name', 'picture']],
    ['openid email', ['email']],
    ['account:read', ['email', 'name', 'picture']],
    ['account:write', []],
    ['profile', ['name', 'picture']],
  ]
  for (const [scope, extra] of byScope) {
    verifies(
      [
        'claims.always',
        'claims.profile',
        'claims.email',
        'userinfo.openid-not-required',
        'oidcc-scope-profile',
        'oidcc-scope-email',
      ],
      `with ${scope} the claims are sub, org_id, roles and ${extra.join(', ') || 'no more'}`,
      async () => {
        const pair = await pairWith(scope)
        const claims = (await userinfo(world, school, pair.access_token)).json()
        expect(Object.keys(claims).sort()).toEqual(['org_id', 'roles', 'sub', ...extra].sort())
      },
    )
  }

  verifies(
    ['userinfo.get-and-post', 'oidcc-userinfo-post-header', 'oidcc-userinfo-post-body'],
    'answers POST like GET with any body; a token in the body is not accepted',
    async () => {
      const pair = await pairWith('openid email')
      const get = await userinfo(world, school, pair.access_token)
      const host = new URL(school.origin).host
      const authorization = `Bearer ${pair.access_token}`
      const bodies = [
        {},
        { 'content-type': 'application/x-www-form-urlencoded' },
        { 'content-type': 'application/json' },
        { 'content-type': 'text/plain' },
      ]
      for (const headers of bodies) {
        const post = await world.app.inject({
          method: 'POST',
          url: '/api/oauth/userinfo',
          headers: { host, authorization, ...headers },
          ...('content-type' in headers ? { payload: 'x=%zz{' } : {}),
        })
        expect([post.statusCode, post.body]).toEqual([200, get.body])
      }
      const inBody = await world.app.inject({
        method: 'POST',
        url: '/api/oauth/userinfo',
        headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
        payload: `access_token=${pair.access_token}`,
      })
      expect([inBody.statusCode, inBody.json().error]).toEqual([401, 'invalid_token'])
    },
  )

  test('has the roles of the operator for an operator token', async () => {
    const owner = await world.aMember(school, ['owner'])
    const pair = await anOperatorPair(world, school, owner)
    const claims = (await userinfo(world, school, pair.access_token)).json()
    expect(claims).toMatchObject({ sub: owner.id, roles: ['owner'] })
  })
})

describe('the ID token', () => {
  verifies(
    [
      'id-token.claims',
      'id-token.kid',
      'id-token.iss',
      'id-token.aud',
      'id-token.exp',
      'id-token.nonce',
      'id-token.signature',
      'id-token.ten-minutes',
      'token.response.id-token.es256',
      'issuer.byte-identical',
      'oidcc-idtoken-signature',
      'oidcc-server',
      'scope.openid',
    ],
    'is signed with the key it names, for this client only, for ten minutes',
    async () => {
      const pair = await pairWith('openid profile email', { nonce: 'n-0S6_WzA2Mj' })
      const { payload, protectedHeader } = await verify(school, idTokenOf(pair))
      expect(protectedHeader).toEqual({ alg: 'ES256', kid: expect.any(String), typ: 'JWT' })
      expect(payload).toMatchObject({
        iss: school.origin,
        aud: client.clientId,
        nonce: 'n-0S6_WzA2Mj',
        sub: ada.id,
        org_id: school.id,
      })
      expect(Number(payload.exp) - Number(payload.iat)).toBe(600)
      expect(Object.keys(payload).sort()).toEqual(
        ['iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', ...IDENTITY].sort(),
      )
    },
  )

  verifies(
    ['id-token.same-as-userinfo', 'binding.not-readable'],
    'has the same claims as UserInfo for every set of scopes, and names no resource',
    async () => {
      for (const scope of ['openid', 'openid profile', 'openid email', 'openid account:read']) {
        const pair = await pairWith(scope)
        const claims = decodeJwt(idTokenOf(pair))
        const info = (await userinfo(world, school, pair.access_token)).json()
        const identity = Object.fromEntries(
          IDENTITY.filter((name) => name in claims).map((name) => [name, claims[name]]),
        )
        expect(identity).toEqual(info)
        for (const body of [claims, info]) expect(body).not.toHaveProperty('resource')
      }
    },
  )

  verifies(
    [
      'token.response.id-token.openid',
      'token.response.id-token.both-fields',
      'id-token.jwks-before-signing',
      'id-token.userinfo-instead',
    ],
    'is absent without openid and at schools without an active key; UserInfo stays the same',
    async () => {
      expect(await pairWith('profile email')).not.toHaveProperty('id_token')
      const staged = await world.aSchool({ signing: 'published' })
      const older = await world.aSchool({ variant: 'older', signing: 'none' })
      for (const place of [staged, older]) {
        const app = await world.aPublicClient(place)
        const ben = await world.aMember(place)
        const pair = await aPair(world, place, app, ben)
        expect(pair).not.toHaveProperty('id_token')
        const info = (await userinfo(world, place, pair.access_token)).json()
        expect(info).toMatchObject({ sub: ben.id, org_id: place.id, email: ben.email })
      }
    },
  )

  verifies(
    'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
    'has no nonce if the request had none',
    async () => {
      const pair = await pairWith('openid', { nonce: undefined })
      expect(decodeJwt(idTokenOf(pair))).not.toHaveProperty('nonce')
    },
  )

  verifies('token.response.id-token.code-only', 'is never part of a refresh response', async () => {
    const pair = await pairWith('openid email')
    const young = (await refresh(world, school, client, pair.refresh_token)).json()
    expect(young).not.toHaveProperty('id_token')
  })

  verifies(
    ['keys.per-school', 'keys.sealed'],
    'of one school does not verify with the keys of another, and private keys are stored encrypted',
    async () => {
      const other = await world.aSchool()
      const pair = await pairWith('openid')
      await expect(verify(other, idTokenOf(pair))).rejects.toThrow()
      const keys = (await getFrom(world, school, '/.well-known/jwks.json')).json().keys
      expect(keys[0].kid).toBe(decodeProtectedHeader(idTokenOf(pair)).kid)
      const row = await school.db
        .from('signing_keys')
        .select('sealed_private_key')
        .executeTakeFirstOrThrow()
      expect(() =>
        createPrivateKey({ key: row.sealed_private_key, format: 'der', type: 'pkcs8' }),
      ).toThrow()
    },
  )

  verifies(
    ['oidcc-server-rotate-keys', 'keys.retired-stay', 'trouble.key-vanishes-under-cache'],
    'still verifies after a key rotation: the retired key stays published for a day',
    async () => {
      const place = await world.aSchool()
      const app = await world.aPublicClient(place)
      const ben = await world.aMember(place)
      const before = await aPair(world, place, app, ben)
      const fresh = generateEs256Key()
      await place.db
        .update('signing_keys')
        .set({ stage: 'retired', retired_at: new Date() })
        .execute()
      await place.db
        .insert('signing_keys', {
          kid: fresh.kid,
          stage: 'active',
          public_jwk: JSON.stringify(fresh.publicJwk),
          sealed_private_key: seal(
            world.context.keyring.key(SIGNING_KEY_PURPOSE),
            fresh.privateKey,
            place.id,
          ),
          activated_at: new Date(),
        })
        .execute()
      world.context.directory.forget()
      const after = await aPair(world, place, app, ben)
      expect(decodeProtectedHeader(idTokenOf(after)).kid).toBe(fresh.kid)
      await verify(place, idTokenOf(before))
      await verify(place, idTokenOf(after))
    },
  )
})
