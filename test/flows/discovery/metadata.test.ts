import { describe, expect } from 'vitest'
import { SCOPES } from '../../../src/domain/clients/scope-catalogue.ts'
import { verifies } from '../../spec/verifies.ts'
import { postForm } from '../../support/client-like.ts'
import { getFrom } from '../../support/oauth-world.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const signed = await world.aSchool()
const staged = await world.aSchool({ signing: 'published' })
const older = await world.aSchool({ variant: 'older', signing: 'none' })

const AS = '/.well-known/oauth-authorization-server'
const OIDC = '/.well-known/openid-configuration'
const RESOURCE = '/.well-known/oauth-protected-resource'
const JWKS = '/.well-known/jwks.json'

async function documentAt(school: TestSchool, path: string): Promise<Record<string, unknown>> {
  const answer = await getFrom(world, school, path)
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
  return answer.json()
}

/** All members that our documents may have: any other would name a feature that does not exist. */
const AS_MEMBERS = [
  'authorization_endpoint',
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
  'code_challenge_methods_supported',
  'grant_types_supported',
  'issuer',
  'protected_resources',
  'registration_endpoint',
  'response_modes_supported',
  'response_types_supported',
  'revocation_endpoint',
  'revocation_endpoint_auth_methods_supported',
  'scopes_supported',
  'service_documentation',
  'token_endpoint',
  'token_endpoint_auth_methods_supported',
  'userinfo_endpoint',
]
const SIGNING = [
  'acr_values_supported',
  'end_session_endpoint',
  'id_token_signing_alg_values_supported',
  'jwks_uri',
]
const INTROSPECTION = ['introspection_endpoint', 'introspection_endpoint_auth_methods_supported']
const OIDC_MEMBERS = [
  'claim_types_supported',
  'claims_parameter_supported',
  'claims_supported',
  'request_parameter_supported',
  'request_uri_parameter_supported',
  'subject_types_supported',
]

describe('the three documents', () => {
  const kinds = [
    { kind: 'newer and signing', school: signed, extra: SIGNING },
    { kind: 'newer with keys published only', school: staged, extra: ['jwks_uri'] },
    { kind: 'older without keys', school: older, extra: INTROSPECTION },
  ]
  for (const { kind, school, extra } of kinds) {
    verifies(
      [
        'discovery.authorization-server.path',
        'discovery.openid-configuration.path',
        'discovery.agent-auth.not-advertised',
        'rfc9700.metadata',
      ],
      `${kind}: exactly the members that apply there`,
      async () => {
        const as = await documentAt(school, AS)
        const oidc = await documentAt(school, OIDC)
        expect(Object.keys(as).sort()).toEqual([...AS_MEMBERS, ...extra].sort())
        expect(Object.keys(oidc).sort()).toEqual([...AS_MEMBERS, ...OIDC_MEMBERS, ...extra].sort())
        for (const [name, value] of Object.entries(as)) expect(oidc[name]).toEqual(value)
      },
    )
  }

  verifies(
    [
      'discovery.endpoint.authorize',
      'discovery.endpoint.token',
      'discovery.endpoint.userinfo',
      'discovery.endpoint.revoke',
      'discovery.endpoint.register',
      'discovery.s256-only',
      'discovery.iss-parameter',
      'issuer.no-trailing-slash',
      'issuer.byte-identical',
      'rfc9700.pkce.detectable',
      'rfc9700.iss',
      'trouble.issuer-slash',
    ],
    'endpoints are at the root of the origin, and the challenge method is S256',
    async () => {
      const as = await documentAt(signed, AS)
      expect(as).toMatchObject({
        issuer: signed.origin,
        authorization_endpoint: `${signed.origin}/oauth/authorize`,
        token_endpoint: `${signed.origin}/api/oauth/token`,
        userinfo_endpoint: `${signed.origin}/api/oauth/userinfo`,
        revocation_endpoint: `${signed.origin}/api/oauth/revoke`,
        registration_endpoint: `${signed.origin}/api/oauth/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        id_token_signing_alg_values_supported: ['ES256'],
        acr_values_supported: [
          'phr',
          'https://refeds.org/profile/mfa',
          'https://refeds.org/profile/sfa',
        ],
      })
      const resource = await documentAt(signed, RESOURCE)
      expect(resource.resource).toBe(as.issuer)
      expect(resource.authorization_servers).toEqual([as.issuer])
    },
  )

  verifies(
    'discovery.auth-methods',
    'a client that takes the first authentication method of any list sends its secret',
    async () => {
      const lists = { token: 'every', revocation: 'every', introspection: 'older' }
      for (const school of [signed, older]) {
        for (const path of [AS, OIDC]) {
          const document = await documentAt(school, path)
          for (const [endpoint, where] of Object.entries(lists)) {
            const listed = document[`${endpoint}_endpoint_auth_methods_supported`]
            if (where === 'older' && school !== older) expect(listed).toBeUndefined()
            else expect(listed).toEqual(['client_secret_post', 'none'])
          }
        }
      }
    },
  )

  verifies(
    ['discovery.protected-resource.path', 'discovery.root.no-scopes'],
    'the protected-resource document names the called origin and lists no scopes',
    async () => {
      const resource = await documentAt(older, RESOURCE)
      expect(resource).toEqual({
        resource: older.origin,
        authorization_servers: [older.origin],
        bearer_methods_supported: ['header'],
        resource_name: expect.any(String),
        resource_documentation: `${older.origin}/docs`,
      })
    },
  )

  verifies(
    ['discovery.mcp.document', 'discovery.mcp.scopes'],
    'the tool endpoint has its own document, with identity and operator read scopes',
    async () => {
      const tool = await documentAt(signed, `${RESOURCE}/mcp`)
      expect(tool.resource).toBe(`${signed.origin}/mcp`)
      expect(tool.authorization_servers).toEqual([signed.origin])
      const wanted = SCOPES.filter(
        ({ audience, access }) =>
          audience === 'identity' || (audience === 'operator' && access === 'read'),
      ).map(({ name }) => name)
      expect([...(tool.scopes_supported as string[])].sort()).toEqual(wanted.sort())
    },
  )

  verifies(
    ['discovery.mcp-member.document', 'discovery.mcp-member.scopes'],
    'the name of the tool endpoint for members has its own document, with identity and account scopes',
    async () => {
      for (const school of [signed, older]) {
        const tool = await documentAt(school, `${RESOURCE}/mcp/member`)
        expect(tool.resource).toBe(`${school.origin}/mcp/member`)
        expect(tool.authorization_servers).toEqual([school.origin])
        expect([...(tool.scopes_supported as string[])].sort()).toEqual(
          ['openid', 'profile', 'email', 'account:read', 'account:write'].sort(),
        )
        const { protected_resources } = await documentAt(school, AS)
        expect(protected_resources).toEqual(
          ['', '/mcp', '/mcp/member'].map((path) => school.origin + path),
        )
      }
    },
  )

  verifies('discovery.no-challenge-needed', 'no document needs a token', async () => {
    for (const path of [AS, OIDC, RESOURCE, `${RESOURCE}/mcp`, `${RESOURCE}/mcp/member`, JWKS]) {
      const answer = await getFrom(world, signed, path)
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['www-authenticate']).toBeUndefined()
    }
  })
})

const SPEC_SCOPES =
  'openid profile email courses:read courses:write students:read students:write members:read members:write analytics:read curriculum:read curriculum:write orders:read school:read school:write appearance:read appearance:write events:read events:write membership_plans:read membership_plans:write coupons:read coupons:write posts:read posts:write subscriptions:read subscriptions:write digital_products:read digital_products:write comments:read lecturers:read lecturers:write storage:write forms:read pages:read pages:write account:read account:write'

describe('the documents match what the server does', () => {
  verifies('discovery.truth.scopes', 'lists every scope that exists, and no other', async () => {
    const { scopes_supported } = await documentAt(signed, AS)
    expect([...(scopes_supported as string[])].sort()).toEqual(SPEC_SCOPES.split(' ').sort())
  })

  verifies(
    ['discovery.truth.grant-types', 'rfc9700.no-password-grant', 'flow.code-with-pkce-only'],
    'the two listed grant types are served, all others are not',
    async () => {
      const { grant_types_supported } = await documentAt(signed, AS)
      expect(grant_types_supported).toEqual(['authorization_code', 'refresh_token'])
      const client = await world.aPublicClient(signed)
      for (const grant_type of [
        'password',
        'client_credentials',
        'implicit',
        'urn:ietf:params:oauth:grant-type:jwt-bearer',
        'urn:ietf:params:oauth:grant-type:device_code',
        'urn:ietf:params:oauth:grant-type:token-exchange',
        '__proto__',
      ]) {
        const answer = await postForm(world, signed, '/api/oauth/token', {
          grant_type,
          client_id: client.clientId,
          username: 'ada',
          password: 'x',
        })
        expect([answer.statusCode, answer.json().error]).toEqual([400, 'unsupported_grant_type'])
      }
      for (const grant_type of ['authorization_code', 'refresh_token']) {
        const answer = await postForm(world, signed, '/api/oauth/token', {
          grant_type,
          client_id: client.clientId,
        })
        expect(answer.json().error).toBe('invalid_request')
      }
    },
  )

  verifies(
    ['discovery.truth.endpoints', 'introspect.newer.absent', 'discovery.agent-auth.paths-absent'],
    'listed endpoints are served; introspection on newer origins and endpoints of other extensions are a JSON 404',
    async () => {
      const as = await documentAt(signed, OIDC)
      for (const [name, value] of Object.entries(as)) {
        if (!/_endpoint$|^jwks_uri$/.test(name)) continue
        const { pathname } = new URL(String(value))
        expect((await getFrom(world, signed, pathname)).statusCode, name).not.toBe(404)
      }
      const absent = [
        '/api/oauth/introspect',
        '/api/oauth/device_authorization',
        '/api/oauth/par',
        '/api/oauth/identity',
        '/api/oauth/claim',
        '/api/agent/identity',
        '/api/agent/register',
        '/.well-known/agent-auth',
        '/.well-known/oauth-client',
      ]
      for (const path of absent) {
        for (const method of ['GET', 'POST'] as const) {
          const answer = await getFrom(world, signed, path, { accept: 'text/html' }, method)
          expect([path, answer.statusCode]).toEqual([path, 404])
          expect(answer.json()).toMatchObject({ error: 'not_found' })
        }
      }
      // The 404 comes before the body is checked: 415 or 400 would hint at an endpoint.
      const json = await postForm(world, signed, '/api/oauth/introspect', '{', {
        'content-type': 'application/json',
      })
      expect(json.statusCode).toBe(404)
      expect((await documentAt(older, AS)).introspection_endpoint).toBe(
        `${older.origin}/api/oauth/introspect`,
      )
    },
  )

  verifies(
    ['discovery.from-stored-origin', 'trouble.issuer-follows-host', 'rfc9700.reverse-proxy'],
    'forwarding headers from an untrusted address change no URL in any document',
    async () => {
      for (const path of [AS, OIDC, RESOURCE, `${RESOURCE}/mcp`]) {
        const answer = await getFrom(world, signed, path, {
          'x-forwarded-host': 'evil.test',
          'x-forwarded-proto': 'https',
          forwarded: 'host=evil.test;proto=https',
        })
        expect(answer.body).not.toContain('evil.test')
        // The names of these values are URIs that others define.
        const ours = answer.body.replace(/"acr_values_supported":\[[^\]]*\]/, '')
        expect(ours).not.toContain('https://')
      }
    },
  )

  verifies(
    'id-token.jwks-before-signing',
    'a school with published but no active keys lists jwks_uri and no signing algorithm',
    async () => {
      const oidc = await documentAt(staged, OIDC)
      expect(oidc.jwks_uri).toBe(`${staged.origin}${JWKS}`)
      expect(oidc).not.toHaveProperty('id_token_signing_alg_values_supported')
      expect((await documentAt(staged, JWKS)).keys).toHaveLength(1)
    },
  )

  verifies(
    ['keys.per-school', 'oidcc-discovery-endpoint-verification'],
    'each school publishes its own public keys; without keys the path is a JSON 404',
    async () => {
      const { keys } = await documentAt(signed, JWKS)
      const [key] = keys as Record<string, string>[]
      expect(Object.keys(key ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
      expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' })
      const other = ((await documentAt(staged, JWKS)).keys as Record<string, string>[])[0]
      expect(other?.kid).not.toBe(key?.kid)
      const none = await getFrom(world, older, JWKS, { accept: 'text/html' })
      expect(none.statusCode).toBe(404)
      expect(none.json()).toHaveProperty('error_description')
    },
  )
})

describe('caches and other origins', () => {
  verifies(
    'discovery.cacheable',
    'documents have a lifetime and an ETag that gives a 304',
    async () => {
      for (const path of [AS, OIDC, RESOURCE, `${RESOURCE}/mcp`, JWKS]) {
        const first = await getFrom(world, signed, path)
        expect(first.headers['cache-control']).toMatch(/^public, max-age=\d+$/)
        const etag = String(first.headers.etag)
        const again = await getFrom(world, signed, path, { 'if-none-match': etag })
        expect([again.statusCode, again.body]).toEqual([304, ''])
        expect(again.headers.etag).toBe(etag)
        const other = await getFrom(world, signed, path, { 'if-none-match': '"other"' })
        expect(other.statusCode).toBe(200)
        const head = await getFrom(world, signed, path, {}, 'HEAD')
        expect([head.statusCode, head.body]).toEqual([200, ''])
      }
    },
  )

  const OPEN = [
    AS,
    OIDC,
    RESOURCE,
    JWKS,
    '/api/oauth/token',
    '/api/oauth/revoke',
    '/api/oauth/userinfo',
    '/api/oauth/register',
  ]
  verifies(
    ['cors.open-endpoints', 'cors.on-errors', 'cors.exposed-headers', 'discovery.mcp.other-paths'],
    'scripts of any site may read successes, refusals and 404s, never with credentials',
    async () => {
      const missing = [
        ...['/mcp', '/mcp/member'].flatMap((endpoint) => [
          `${AS}${endpoint}`,
          `${OIDC}${endpoint}`,
          `${endpoint}/.well-known/openid-configuration`,
          `${endpoint}/.well-known/oauth-authorization-server`,
        ]),
        `${RESOURCE}/other`,
        `${RESOURCE}/mcp/other`,
        '/api/oauth/nowhere',
      ]
      for (const path of [...OPEN, ...missing]) {
        const answer = await getFrom(world, signed, path, {
          origin: 'https://app.example',
          accept: 'text/html,application/json',
        })
        if (missing.includes(path)) {
          expect([path, answer.statusCode]).toEqual([path, 404])
          expect(answer.json().error_description).toContain(`${signed.origin}/docs`)
        }
        expect(answer.headers['content-type'], path).toMatch(/^application\/json/)
        expect(answer.headers['access-control-allow-origin'], path).toBe('*')
        expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
        const exposed = String(answer.headers['access-control-expose-headers'])
        for (const name of ['WWW-Authenticate', 'Retry-After', 'RateLimit', 'RateLimit-Policy']) {
          expect(exposed).toContain(name)
        }
      }
    },
  )

  verifies('cors.preflight-before-auth', 'a preflight is 204 for any origin', async () => {
    for (const path of OPEN) {
      const answer = await getFrom(
        world,
        signed,
        path,
        {
          origin: 'https://app.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
        'OPTIONS',
      )
      expect(answer.statusCode).toBe(204)
      expect(answer.headers['access-control-allow-origin']).toBe('*')
      expect(String(answer.headers['access-control-allow-headers']).toLowerCase()).toContain(
        'authorization',
      )
    }
  })

  verifies(
    ['cors.none-on-authorize', 'rfc9700.cors'],
    'the authorization endpoint is not readable for scripts of other sites',
    async () => {
      for (const path of ['/oauth/authorize', '/sign-in', '/consent']) {
        for (const method of ['GET', 'OPTIONS'] as const) {
          const answer = await getFrom(
            world,
            signed,
            path,
            { origin: 'https://app.example', 'access-control-request-method': 'GET' },
            method,
          )
          expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
        }
      }
    },
  )
})
