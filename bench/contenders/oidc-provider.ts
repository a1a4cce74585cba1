import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import Provider, { type AdapterFactory, type Client } from 'oidc-provider'
import { generateEs256Key, readPrivateKey } from '../../src/foundation/crypto/es256.ts'
import { formPost, type Play } from '../play.ts'
import { announce } from './serve.ts'

const CLIENT = 'app'
const REDIRECT_URI = 'https://app.bench.test/callback'
const SCOPE = 'openid profile email offline_access'
/** With `openid` every refresh signs an ID token; ours sends none at a refresh. */
const WITHOUT_OPENID = 'profile email offline_access'
const DAYS = 90 * 24 * 3600
const VERIFIER = randomBytes(32).toString('base64url')
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

/**
 * oidc-provider with one public client, ES256, rotation and opaque tokens: the settings nearest to
 * ours.
 */
export async function serveOidcProvider(adapter: AdapterFactory): Promise<void> {
  const { kid, privateKey } = generateEs256Key()
  const provider = new Provider('http://127.0.0.1', {
    adapter,
    clients: [
      {
        client_id: CLIENT,
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...readPrivateKey(privateKey).export({ format: 'jwk' }), kid, use: 'sig' }] },
    cookies: { keys: ['bench'] },
    claims: { openid: ['sub', 'org_id', 'roles'], profile: ['name', 'picture'], email: ['email'] },
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true },
      revocation: { enabled: true },
    },
    ttl: {
      AccessToken: 7200,
      AuthorizationCode: 300,
      Grant: DAYS,
      IdToken: 600,
      RefreshToken: DAYS,
    },
    issueRefreshToken: () => true,
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({
        sub,
        org_id: 'school',
        roles: ['student'],
        name: 'Person',
        picture: 'http://s1.bench.test/avatar',
        email: 'person@bench.test',
      }),
    }),
  })
  const server = createServer(provider.callback())
  await promisify((done: () => void) => server.listen(0, '127.0.0.1', done))()
  announce(server.address(), playsOf(provider))
}

function playsOf(provider: Provider): Record<string, (count: number) => Promise<Play>> {
  const tokens = async (count: number, kind: 'AccessToken' | 'RefreshToken', scope = SCOPE) =>
    await Promise.all(Array.from({ length: count }, () => mint(provider, kind, scope)))
  const refresh = async (count: number, scope: string, contains: string): Promise<Play> => ({
    mode: 'chain',
    requests: (await tokens(Math.min(count, 500), 'RefreshToken', scope)).map((token) =>
      formPost('/token', {
        grant_type: 'refresh_token',
        client_id: CLIENT,
        refresh_token: token,
      }),
    ),
    expect: 200,
    contains,
  })
  return {
    refresh: (count) => refresh(count, WITHOUT_OPENID, '"access_token"'),
    'refresh+openid': (count) => refresh(count, SCOPE, '"id_token"'),
    'code-exchange': async (count) => ({
      mode: 'once',
      requests: (await Promise.all(Array.from({ length: count }, () => mintCode(provider)))).map(
        (code) =>
          formPost('/token', {
            grant_type: 'authorization_code',
            client_id: CLIENT,
            code,
            code_verifier: VERIFIER,
            redirect_uri: REDIRECT_URI,
          }),
      ),
      expect: 200,
      contains: '"id_token"',
    }),
    userinfo: async () => ({
      mode: 'repeat',
      requests: (await tokens(500, 'AccessToken')).map((token) => ({
        method: 'GET',
        path: '/me',
        headers: { authorization: `Bearer ${token}` },
      })),
      expect: 200,
      contains: '"sub"',
    }),
    introspection: async () => ({
      mode: 'repeat',
      requests: (await tokens(500, 'AccessToken')).map((token) =>
        formPost('/token/introspection', { client_id: CLIENT, token }),
      ),
      expect: 200,
      contains: '"active":true',
    }),
    revocation: async (count) => ({
      mode: 'once',
      requests: (await tokens(count, 'RefreshToken')).map((token) =>
        formPost('/token/revocation', { client_id: CLIENT, token }),
      ),
      expect: 200,
    }),
  }
}

interface Grantee {
  readonly accountId: string
  readonly client: Client
  readonly grantId: string
  readonly scope: string
}

async function grantee(provider: Provider, scope: string): Promise<Grantee> {
  const accountId = randomBytes(8).toString('hex')
  const client = await provider.Client.find(CLIENT)
  if (client === undefined) throw new Error('no client')
  const grant = new provider.Grant({ accountId, clientId: CLIENT })
  grant.addOIDCScope(scope)
  return { accountId, client, grantId: await grant.save(), scope }
}

async function mint(
  provider: Provider,
  kind: 'AccessToken' | 'RefreshToken',
  scope: string,
): Promise<string> {
  const token = new provider[kind]({
    ...(await grantee(provider, scope)),
    gty: 'authorization_code',
  })
  return await token.save()
}

async function mintCode(provider: Provider): Promise<string> {
  const code = new provider.AuthorizationCode({
    ...(await grantee(provider, SCOPE)),
    redirectUri: REDIRECT_URI,
    codeChallenge: CHALLENGE,
    codeChallengeMethod: 'S256',
    authTime: Math.floor(Date.now() / 1000),
    gty: 'authorization_code',
    nonce: 'nonce',
  })
  return await code.save()
}
