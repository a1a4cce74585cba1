import { decodeProtectedHeader } from 'jose'
import { expect } from 'vitest'
import { ALL_SCOPES } from '../../../src/domain/clients/scope-catalogue.ts'
import { SIGNING_KEY_PURPOSE } from '../../../src/domain/schools/signing.ts'
import { generateEs256Key } from '../../../src/foundation/crypto/es256.ts'
import { seal } from '../../../src/foundation/crypto/seal.ts'
import { redirectUriProblems } from '../../../src/foundation/protocol/redirect-uri.ts'
import { verifies } from '../../spec/verifies.ts'
import { ask, expectPage, type Setup } from '../../support/authorization.ts'
import { authorizeAs } from '../../support/browser-like.ts'
import { aPair } from '../../support/client-like.ts'
import { aSuite, discover, runFlow, verifyIdToken } from '../../support/conformance.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const setup = await aSuite(world)

const keysOf = async ({ school }: Setup): Promise<Record<string, unknown>[]> => {
  const { pathname } = new URL(String((await discover(world, school)).jwks_uri))
  const headers = { host: new URL(school.origin).host }
  return (await world.app.inject({ url: pathname, headers })).json().keys
}

verifies(
  'oidcc-discovery-endpoint-verification',
  'oidcc-discovery-endpoint-verification: JSON at the issuer, every member well-formed, every key usable',
  async () => {
    const { school } = setup
    const headers = { host: new URL(school.origin).host }
    const answer = await world.app.inject({ url: '/.well-known/openid-configuration', headers })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    const document = answer.json()
    expect(document.issuer).toBe(school.origin)
    for (const [name, value] of Object.entries(document)) {
      if (!/_(endpoint|uri)$/.test(name)) continue
      expect(String(value).startsWith(`${school.origin}/`)).toBe(true)
    }
    expect(document).toMatchObject({
      authorization_endpoint: `${school.origin}/oauth/authorize`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
    })
    expect(document.claims_supported).toContain('sub')
    expect(document.scopes_supported).toEqual(ALL_SCOPES.toArray())
    for (const scope of document.scopes_supported) {
      expect(scope).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/)
    }
    const keys = await keysOf(setup)
    expect(keys.length).toBeGreaterThan(0)
    for (const key of keys) {
      expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', kid: expect.any(String) })
      expect(key).not.toHaveProperty('d')
    }
  },
)

verifies(
  'oidcc-server-rotate-keys',
  'oidcc-server-rotate-keys: the new key is in the JWKS, signs, and the old one still verifies',
  async () => {
    const own = await aSuite(world)
    const { school, client, person } = own
    const before = await aPair(world, school, client, person)
    const { kid, publicJwk, privateKey } = generateEs256Key()
    const { keyring } = world.context
    await school.db
      .update('signing_keys')
      .set({ stage: 'retired', retired_at: new Date() })
      .execute()
    await school.db
      .insert('signing_keys', {
        kid,
        stage: 'active',
        public_jwk: JSON.stringify(publicJwk),
        sealed_private_key: seal(keyring.key(SIGNING_KEY_PURPOSE), privateKey, school.id),
        activated_at: new Date(),
      })
      .execute()
    world.context.directory.forget()
    const { header } = await runFlow(own)
    expect(header.kid).toBe(kid)
    expect(decodeProtectedHeader(before.id_token ?? '').kid).not.toBe(kid)
    expect((await keysOf(own)).map((key) => key.kid)).toHaveLength(2)
    const { payload } = await verifyIdToken(own, before.id_token ?? '')
    expect(payload.sub).toBe(person.id)
  },
)

const withQuery = async (redirectUri: string): Promise<Setup> => ({
  ...setup,
  client: await world.aConfidentialClient(setup.school, { redirectUris: [redirectUri] }),
})

verifies(
  'oidcc-redirect-uri-query-OK',
  'oidcc-redirect-uri-query-OK: the query of the registered URI stays, the parameters are added',
  async () => {
    const { school, client, person } = await withQuery('https://app.example/cb?foo=bar')
    const callback = await authorizeAs(world, school, client, person)
    expect([...callback.keys()].sort()).toEqual(['code', 'foo', 'iss', 'state'])
    expect(callback.get('foo')).toBe('bar')
  },
)

verifies(
  'oidcc-redirect-uri-query-mismatch',
  'oidcc-redirect-uri-query-mismatch: another query is an error page',
  async () => {
    const own = await withQuery('https://app.example/cb?foo=bar')
    expectPage(await ask(own, { redirect_uri: 'https://app.example/cb?bar=foo' }), 400)
  },
)

verifies(
  'oidcc-redirect-uri-query-added',
  'oidcc-redirect-uri-query-added: an added query is an error page',
  async () => {
    const own = await withQuery('https://app.example/cb')
    expectPage(await ask(own, { redirect_uri: 'https://app.example/cb?foo=bar' }), 400)
  },
)

verifies(
  'oidcc-redirect-uri-regfrag',
  'oidcc-redirect-uri-regfrag: a URI with a fragment cannot be registered or used',
  async () => {
    for (const uri of ['https://app.example/cb#frag', 'https://app.example/cb#']) {
      expect(redirectUriProblems(uri, { confidential: false })).not.toEqual([])
      expectPage(await ask(await withQuery(uri)), 400)
    }
  },
)

verifies(
  'oidcc-ensure-redirect-uri-in-authorization-request',
  'oidcc-ensure-redirect-uri-in-authorization-request: without one an error page, even if the client has only one',
  async () => {
    expectPage(await ask(setup, { redirect_uri: undefined }), 400)
  },
)
