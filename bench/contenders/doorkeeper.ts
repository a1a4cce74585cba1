import { createHash, randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { formPost } from '../play.ts'
import { freePort } from './free-port.ts'
import { DATABASE_URL, POOL, POOL_SIZE } from './serve.ts'
import { serveProgram } from './serve-program.ts'

const CLIENT = 'app'
const SCOPES = 'profile email'
const pool = new pg.Pool(POOL)

/**
 * The tables of its generator; without `previous_refresh_token`, so that a refresh revokes the old
 * token at once.
 */
await pool.query(`
  create table users (id bigserial primary key, name text, picture text, email text, roles text[]);
  create table oauth_applications (
    id bigserial primary key, name varchar not null, uid varchar not null unique, secret varchar not null,
    redirect_uri text not null, scopes varchar not null default '', confidential boolean not null default true,
    created_at timestamp not null, updated_at timestamp not null);
  create table oauth_access_grants (
    id bigserial primary key, resource_owner_id bigint not null, application_id bigint not null references oauth_applications,
    token varchar not null unique, expires_in int not null, redirect_uri text not null, created_at timestamp not null,
    revoked_at timestamp, scopes varchar not null default '');
  create table oauth_access_tokens (
    id bigserial primary key, resource_owner_id bigint, application_id bigint not null references oauth_applications,
    token varchar not null unique, refresh_token varchar unique, expires_in int, revoked_at timestamp,
    created_at timestamp not null, scopes varchar);
  create index on oauth_access_grants (resource_owner_id);
  create index on oauth_access_grants (application_id);
  create index on oauth_access_tokens (resource_owner_id);
  create index on oauth_access_tokens (application_id);
  insert into oauth_applications (name, uid, secret, redirect_uri, scopes, confidential, created_at, updated_at)
    values ('App', '${CLIENT}', '', 'https://app.bench.test/callback', '${SCOPES}', false, now(), now());
  insert into users (name, picture, email, roles)
    select 'Person ' || n, 'http://s1.bench.test/avatar', 'person' || n || '@bench.test', '{student}'
    from generate_series(1, 1000) n`)

const port = await freePort()
const { username, password, pathname, searchParams } = new URL(DATABASE_URL)
/** Without slashes: with them Rails would take the host from another place than `pg`. */
const database = `postgresql:${pathname.slice(1)}?${new URLSearchParams({
  ...Object.fromEntries(searchParams),
  username,
  password,
  pool: String(POOL_SIZE),
})}`

await serveProgram(
  {
    command: 'puma',
    args: [
      '--quiet',
      '--threads',
      `${POOL_SIZE}:${POOL_SIZE}`,
      '--bind',
      `tcp://127.0.0.1:${port}`,
      fileURLToPath(new URL('./doorkeeper.ru', import.meta.url)),
    ],
    env: {
      RAILS_ENV: 'production',
      RACK_ENV: 'production',
      RUBYOPT: '--yjit',
      DATABASE_URL: database,
    },
    port,
  },
  {
    refresh: async (count) => ({
      mode: 'chain',
      requests: (await issue(Math.min(count, 500))).map(({ refresh }) =>
        formPost('/oauth/token', {
          grant_type: 'refresh_token',
          client_id: CLIENT,
          refresh_token: refresh,
        }),
      ),
      expect: 200,
      contains: '"access_token"',
    }),
    userinfo: async () => ({
      mode: 'repeat',
      requests: (await issue(500)).map(({ access }) => ({
        method: 'GET',
        path: '/me',
        headers: { authorization: `Bearer ${access}` },
      })),
      expect: 200,
      contains: '"sub"',
    }),
    introspection: async () => ({
      mode: 'repeat',
      requests: (await issue(500)).map(({ access }) =>
        formPost('/oauth/introspect', { client_id: CLIENT, token: access }),
      ),
      expect: 200,
      contains: '"active":true',
    }),
    revocation: async (count) => ({
      mode: 'once',
      requests: (await issue(count)).map(({ refresh }) =>
        formPost('/oauth/revoke', { client_id: CLIENT, token: refresh }),
      ),
      expect: 200,
    }),
  },
)

function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

async function issue(count: number) {
  const tokens = Array.from({ length: count }, () => ({
    access: randomBytes(32).toString('base64url'),
    refresh: randomBytes(32).toString('base64url'),
  }))
  await pool.query(
    `insert into oauth_access_tokens
       (resource_owner_id, application_id, token, refresh_token, expires_in, created_at, scopes)
     select 1 + n % 1000, a.id, t.access, t.refresh, 7200, now() at time zone 'UTC', '${SCOPES}'
     from oauth_applications a, unnest($1::text[], $2::text[]) with ordinality t (access, refresh, n)`,
    [tokens.map(({ access }) => digest(access)), tokens.map(({ refresh }) => digest(refresh))],
  )
  return tokens
}
