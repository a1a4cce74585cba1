import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { formPost } from '../play.ts'
import { freePort } from './free-port.ts'
import { createTables, PLUGIN, writeSettings } from './glewlwyd-setup.ts'
import { POOL, SCENARIO } from './serve.ts'
import { serveProgram } from './serve-program.ts'

/**
 * Public; only introspection needs a client with a secret. This one is stored as it is, so no slow
 * hash is checked.
 */
const CLIENT: Readonly<Record<string, string>> = {
  client_id: 'app',
  ...(SCENARIO === 'introspection' ? { client_secret: 'bench' } : {}),
}
const pool = new pg.Pool(POOL)
const port = await freePort()
const root = `http://127.0.0.1:${port}/api/${PLUGIN}`

await createTables(pool, { root, client: CLIENT })
await serveProgram(
  { command: 'glewlwyd', args: [`--config-file=${await writeSettings(port)}`], env: {}, port },
  {
    refresh: async (count) => ({
      mode: 'chain',
      requests: (await issue(Math.min(count, 500))).map(refresh),
      expect: 200,
      contains: '"refresh_token"',
    }),
    userinfo: async () => ({
      mode: 'repeat',
      requests: (await accessTokens(100)).map((token) => ({
        method: 'GET',
        path: `/api/${PLUGIN}/userinfo`,
        headers: { authorization: `Bearer ${token}` },
      })),
      expect: 200,
      contains: '"sub"',
    }),
    introspection: async () => ({
      mode: 'repeat',
      requests: (await accessTokens(100)).map((token) =>
        formPost(`/api/${PLUGIN}/introspect`, {
          ...CLIENT,
          token,
          token_type_hint: 'access_token',
        }),
      ),
      expect: 200,
      contains: '"active":true',
    }),
    discovery: async () => document('/.well-known/openid-configuration'),
    jwks: async () => document('/jwks'),
  },
)

function document(path: string) {
  const request = { method: 'GET' as const, path: `/api/${PLUGIN}${path}`, headers: {} }
  return { mode: 'repeat' as const, requests: [request], expect: 200 }
}

function refresh(token: string) {
  return formPost(`/api/${PLUGIN}/token`, {
    grant_type: 'refresh_token',
    ...CLIENT,
    refresh_token: token,
  })
}

/** Access tokens are signed, so it must write them itself. */
async function accessTokens(count: number): Promise<string[]> {
  const tokens: string[] = []
  for (const token of await issue(count)) {
    const { method, headers, body } = refresh(token)
    const answer = await fetch(`${root}/token`, { method, headers, body: body ?? null })
    if (!answer.ok) throw new Error(`no access token: ${answer.status} ${await answer.text()}`)
    tokens.push(((await answer.json()) as { access_token: string }).access_token)
  }
  return tokens
}

/** Stores refresh tokens as it does. */
async function issue(count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => randomBytes(64).toString('hex'))
  const digests = tokens.map(
    (token) => `{SHA256}${createHash('sha256').update(token).digest('base64')}`,
  )
  await pool.query(
    `with made as (
       insert into gpo_refresh_token (gpor_plugin_name, gpor_authorization_type, gpor_username, gpor_client_id,
         gpor_expires_at, gpor_duration, gpor_token_hash, gpor_jti)
       select '${PLUGIN}', 0, 'person' || 1 + n % 1000, '${CLIENT.client_id}', now() + interval '90 days', 7776000, hash, left(md5(hash), 32)
       from unnest($1::text[]) with ordinality t (hash, n)
       returning gpor_id)
     insert into gpo_refresh_token_scope (gpor_id, gpors_scope)
     select gpor_id, scope from made, unnest('{openid,g_profile}'::text[]) scope`,
    [digests],
  )
  return tokens
}
