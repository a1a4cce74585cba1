import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { oauthProvider } from '@better-auth/oauth-provider'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { jwt } from 'better-auth/plugins'
import pg from 'pg'
import { formPost, type HttpRequest, type Play } from '../play.ts'
import { announce, POOL, POOL_SIZE, SCENARIO } from './serve.ts'

const BASE = 'http://127.0.0.1/api/auth'
const REDIRECT_URI = 'https://app.bench.test/callback'
const SCOPE = 'openid profile email offline_access'
/** With `openid` every refresh would sign an ID token; ours sends none at a refresh. */
const ASKED = SCENARIO === 'refresh' ? 'profile email offline_access' : SCOPE
const VERIFIER = randomBytes(32).toString('base64url')
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

/** Every code needs a whole authorization here, so its rounds are shorter. */
const MAX_FLOWS = 200

/** Clients that it keeps in memory instead of reading them at every request. */
const trusted = new Set<string>()

/**
 * better-auth with its OAuth provider: a public client that skips consent, ES256, opaque tokens.
 */
const auth = betterAuth({
  database: new pg.Pool(POOL),
  baseURL: 'http://127.0.0.1',
  secret: randomBytes(32).toString('base64url'),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { disabled: true },
  disabledPaths: ['/token'],
  plugins: [
    jwt({ jwks: { keyPairConfig: { alg: 'ES256' } } }),
    oauthProvider({
      loginPage: '/sign-in',
      consentPage: '/consent',
      cachedTrustedClients: trusted,
    }),
  ],
})
await (await getMigrations(auth.options)).runMigrations()

const cookie = await signUp()
const client = await createClient()
trusted.add(client.client_id)

const server = createServer(toNodeHandler(auth))
await promisify((done: () => void) => server.listen(0, '127.0.0.1', done))()
announce(server.address(), {
  refresh: async () => ({
    mode: 'chain',
    requests: await forTokens(64, refresh),
    expect: 200,
    contains: '"access_token"',
  }),
  'code-exchange': async (count) => ({
    mode: 'once',
    requests: (await repeat(Math.min(count, MAX_FLOWS), authorize)).map(exchange),
    expect: 200,
    contains: '"id_token"',
  }),
  userinfo: async () => ({
    mode: 'repeat',
    requests: await forTokens(100, userinfo),
    expect: 200,
    contains: '"sub"',
  }),
  introspection: async () => ({
    mode: 'repeat',
    requests: await forTokens(100, introspect),
    expect: 200,
    contains: '"active":true',
  }),
  revocation: async (count) => ({
    mode: 'once',
    requests: await forTokens(Math.min(count, MAX_FLOWS), revoke),
    expect: 200,
  }),
} satisfies Record<string, (count: number) => Promise<Play>>)

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

function refresh({ refresh_token }: Tokens): HttpRequest {
  return formPost('/api/auth/oauth2/token', {
    grant_type: 'refresh_token',
    ...client,
    refresh_token,
  })
}

function exchange(code: string): HttpRequest {
  return formPost('/api/auth/oauth2/token', {
    grant_type: 'authorization_code',
    ...client,
    code,
    code_verifier: VERIFIER,
    redirect_uri: REDIRECT_URI,
  })
}

function userinfo({ access_token }: Tokens): HttpRequest {
  return {
    method: 'GET',
    path: '/api/auth/oauth2/userinfo',
    headers: { authorization: `Bearer ${access_token}` },
  }
}

function introspect({ access_token }: Tokens): HttpRequest {
  return formPost('/api/auth/oauth2/introspect', { ...client, token: access_token })
}

function revoke({ refresh_token }: Tokens): HttpRequest {
  return formPost('/api/auth/oauth2/revoke', { ...client, token: refresh_token })
}

async function forTokens(
  count: number,
  write: (tokens: Tokens) => HttpRequest,
): Promise<HttpRequest[]> {
  return (await repeat(count, issue)).map(write)
}

async function issue(): Promise<Tokens> {
  const { path, headers, body } = exchange(await authorize())
  const answer = await auth.handler(
    new Request(`http://127.0.0.1${path}`, { method: 'POST', headers, body: body ?? null }),
  )
  if (!answer.ok) throw new Error(`no tokens: ${await answer.text()}`)
  return (await answer.json()) as Tokens
}

async function authorize(): Promise<string> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    scope: ASKED,
    state: 'state',
    nonce: 'nonce',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  })
  const answer = await auth.handler(
    new Request(`${BASE}/oauth2/authorize?${query}`, { headers: { cookie } }),
  )
  const location = answer.headers.get('location')
  const code = location === null ? null : new URL(location).searchParams.get('code')
  if (code === null) throw new Error(`no code: ${answer.status} ${location} ${await answer.text()}`)
  return code
}

async function signUp(): Promise<string> {
  const { headers } = await auth.api.signUpEmail({
    body: { name: 'Person', email: 'person@bench.test', password: 'correct horse battery' },
    returnHeaders: true,
  })
  return headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

/** Public; only introspection needs a client with a secret. */
async function createClient(): Promise<{ client_id: string; client_secret?: string }> {
  const confidential = SCENARIO === 'introspection'
  const made = await auth.api.adminCreateOAuthClient({
    headers: new Headers({ cookie }),
    body: {
      client_name: 'App',
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: confidential ? 'client_secret_post' : 'none',
      scope: SCOPE,
      skip_consent: true,
    },
  })
  const { client_id, client_secret } = made
  return { client_id, ...(client_secret === undefined ? {} : { client_secret }) }
}

/** A few at a time, because all flows share a small pool. */
async function repeat<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = []
  while (made.length < count) {
    const batch = Math.min(POOL_SIZE, count - made.length)
    made.push(...(await Promise.all(Array.from({ length: batch }, make))))
  }
  return made
}
