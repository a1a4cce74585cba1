import { expect } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { ask, expectErrorRedirect } from '../../support/authorization.ts'
import { exchange, postForm, refresh, userinfo } from '../../support/client-like.ts'
import { aSuite, discover, runFlow } from '../../support/conformance.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()
const setup = await aSuite(world)
const { school, client, person } = setup
const PERSONAL = ['name', 'picture', 'email']

verifies(
  'oidcc-server',
  'oidcc-server: the plain flow, with the requested claims and no others',
  async () => {
    const run = await runFlow(setup, { scope: 'openid' })
    for (const claim of PERSONAL) {
      expect(run.claims).not.toHaveProperty(claim)
      expect(run.userinfo).not.toHaveProperty(claim)
    }
    const codes = new Set([run.code, (await runFlow(setup)).code, (await runFlow(setup)).code])
    expect(codes.size).toBe(3)
  },
)

verifies(
  'oidcc-server-client-secret-post',
  'oidcc-server-client-secret-post: the secret in the form, and no flow without it',
  async () => {
    const { code, verifier } = await runFlow(setup)
    const bare = await exchange(world, school, client, code, verifier, { client_secret: undefined })
    expect(bare.statusCode).toBe(401)
    expect(bare.json().error).toBe('invalid_client')
    const supported = (await discover(world, school)).token_endpoint_auth_methods_supported
    expect(supported).toEqual(['client_secret_post', 'none'])
  },
)

verifies(
  'oidcc-idtoken-signature',
  'oidcc-idtoken-signature: the header names a key of the JWKS, and it is ES256',
  async () => {
    const { header } = await runFlow(setup)
    expect(header.alg).toBe('ES256')
    expect(header.kid).toBeDefined()
  },
)

verifies(
  'oidcc-idtoken-unsigned',
  'oidcc-idtoken-unsigned: the algorithm none is not offered and not used',
  async () => {
    const { header } = await runFlow(setup)
    expect(header.alg).not.toBe('none')
    const supported = (await discover(world, school)).id_token_signing_alg_values_supported
    expect(supported).toEqual(['ES256'])
  },
)

verifies('oidcc-userinfo-get', 'oidcc-userinfo-get: by GET with the header', async () => {
  const run = await runFlow(setup, { scope: 'openid' })
  expect(run.userinfo.sub).toBe(person.id)
})

verifies(
  'oidcc-userinfo-post-header',
  'oidcc-userinfo-post-header: by POST with the header',
  async () => {
    const { tokens, claims } = await runFlow(setup)
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const answer = await postForm(world, school, '/api/oauth/userinfo', {}, headers)
    expect(answer.json().sub).toBe(claims.sub)
  },
)

verifies(
  'oidcc-userinfo-post-body',
  'oidcc-userinfo-post-body: a token in the body is refused with a proper error',
  async () => {
    const { access_token } = (await runFlow(setup)).tokens
    const answer = await postForm(world, school, '/api/oauth/userinfo', { access_token })
    expect(answer.statusCode).toBe(401)
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer /)
  },
)

verifies('oidcc-scope-profile', 'oidcc-scope-profile: name and picture', async () => {
  const { userinfo: said } = await runFlow(setup, { scope: 'openid profile' })
  expect(said).toMatchObject({ name: person.name, picture: `${school.origin}/assets/mark.svg` })
  expect(said).not.toHaveProperty('email')
})

verifies('oidcc-scope-email', 'oidcc-scope-email: the email and no name', async () => {
  const { userinfo: said } = await runFlow(setup, { scope: 'openid email' })
  expect(said.email).toBe(person.email)
  expect(said).not.toHaveProperty('name')
})

verifies(
  ['oidcc-scope-address', 'oidcc-scope-phone'],
  'oidcc-scope-address and oidcc-scope-phone: not listed, and refused as invalid_scope',
  async () => {
    const { scopes_supported } = await discover(world, school)
    for (const scope of ['address', 'phone']) {
      expect(scopes_supported).not.toContain(scope)
      const answer = await ask(setup, { scope: `openid ${scope}` })
      expectErrorRedirect(setup, answer, 'invalid_scope')
    }
  },
)

verifies(
  'oidcc-scope-all',
  'oidcc-scope-all: all claims, the same in the ID token and UserInfo',
  async () => {
    const run = await runFlow(setup, { scope: 'openid profile email' })
    for (const claim of [...PERSONAL, 'org_id', 'roles', 'sub']) {
      expect(run.userinfo[claim]).toBeDefined()
      expect(run.claims[claim]).toEqual(run.userinfo[claim])
    }
  },
)

verifies('oidcc-codereuse', 'oidcc-codereuse: the second exchange is invalid_grant', async () => {
  const { code, verifier } = await runFlow(setup)
  const again = await exchange(world, school, client, code, verifier)
  expect(again.statusCode).toBe(400)
  expect(again.json().error).toBe('invalid_grant')
})

verifies(
  'oidcc-codereuse-30seconds',
  'oidcc-codereuse-30seconds: invalid_grant after 30 seconds too, and the access token is revoked',
  async () => {
    const { code, verifier, tokens } = await runFlow(setup)
    await world.database.pool.query(
      `update authorization_codes set consumed_at = consumed_at - interval '30 seconds',
         expires_at = expires_at - interval '30 seconds' where school_id = $1 and pair_id is not null`,
      [school.id],
    )
    const again = await exchange(world, school, client, code, verifier)
    expect(again.json().error).toBe('invalid_grant')
    expect((await userinfo(world, school, tokens.access_token)).statusCode).toBe(401)
  },
)

verifies(
  'oidcc-refresh-token',
  'oidcc-refresh-token: legal characters, works only for its client, no new ID token',
  async () => {
    const { tokens } = await runFlow(setup)
    expect(tokens.refresh_token).toMatch(/^[\x20-\x7e]+$/)
    const other = await world.aConfidentialClient(school)
    const stolen = await refresh(world, school, other, tokens.refresh_token)
    expect(stolen.json().error).toBe('invalid_grant')
    const answer = await refresh(world, school, client, tokens.refresh_token)
    expect(answer.statusCode).toBe(200)
    expect(answer.json().access_token).not.toBe(tokens.access_token)
    expect(answer.json()).not.toHaveProperty('id_token')
  },
)
