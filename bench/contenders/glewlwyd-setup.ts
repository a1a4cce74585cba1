import { generateKeyPairSync } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { DATABASE_URL } from './serve.ts'

/** The name of its plugin for OpenID Connect, which is a part of its addresses. */
export const PLUGIN = 'oidc'
const INSTALLED = '/usr/share/dbconfig-common/data/glewlwyd/install'

interface Setup {
  readonly root: string
  readonly client: Readonly<Record<string, string>>
}

/**
 * Its own tables and modules, as Debian installs them, with indexes for columns that it searches
 * without one. People already have their subject: it makes one at the first token of a person, and
 * meanwhile another thread, on the same connection, can get its id instead of that of a new token,
 * and then answers 500.
 */
export async function createTables(pool: pg.Pool, { root, client }: Setup): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const parameters = {
    iss: root,
    'jwt-type': 'ecdsa',
    'jwt-key-size': '256',
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: publicKey.export({ type: 'spki', format: 'pem' }),
    'access-token-duration': 7200,
    'refresh-token-duration': 7_776_000,
    'refresh-token-one-use': 'always',
    'refresh-token-rolling': false,
    'code-duration': 300,
    'allow-non-oidc': true,
    'auth-type-code-enabled': true,
    'auth-type-refresh-enabled': true,
    'auth-type-client-enabled': true,
    'introspection-revocation-allowed': true,
    'introspection-revocation-allow-target-client': true,
    'name-claim': 'mandatory',
    'email-claim': 'mandatory',
    claims: [{ name: 'picture', 'user-property': 'picture', type: 'string', mandatory: true }],
    'jwks-show': true,
  }
  await pool.query('create extension pgcrypto')
  for (const file of ['pgsql', 'postgre.default.sql']) {
    await pool.query(await readFile(join(INSTALLED, file), 'utf8'))
  }
  await pool.query(`
    create index on gpo_refresh_token_scope (gpor_id);
    create index on gpo_access_token_scope (gpoa_id);
    create index on gpo_access_token (gpor_id);
    create index on gpo_subject_identifier (gposi_username);
    create index on g_user_property (gu_id);
    create index on g_user_scope_user (gu_id);
    delete from g_user;
    insert into g_user (gu_username, gu_name, gu_email)
      select 'person' || n, 'Person ' || n, 'person' || n || '@bench.test' from generate_series(1, 1000) n;
    insert into g_user_property (gu_id, gup_name, gup_value)
      select gu_id, 'picture', 'http://s1.bench.test/avatar' from g_user;
    insert into g_user_scope (gus_name) values ('openid');
    insert into g_user_scope_user (gu_id, gus_id)
      select gu_id, gus_id from g_user, g_user_scope where gus_name in ('openid', 'g_profile');
    insert into gpo_subject_identifier (gposi_plugin_name, gposi_username, gposi_sub)
      select '${PLUGIN}', gu_username, md5(gu_username) from g_user;
    insert into g_client (gc_client_id, gc_name, gc_confidential)
      values ('${client.client_id}', 'App', ${client.client_secret === undefined ? 0 : 1});
    insert into g_client_property (gc_id, gcp_name, gcp_value)
      select gc_id, name, value from g_client, (values
        ('client_secret', '${client.client_secret ?? ''}'), ('redirect_uri', 'https://app.bench.test/callback'),
        ('authorization_type', 'code'), ('authorization_type', 'refresh_token'), ('authorization_type', 'client_credentials'),
        ('token_endpoint_auth_method', 'client_secret_post')) as property (name, value);
    analyze`)
  await pool.query(
    `insert into g_plugin_module_instance (gpmi_module, gpmi_name, gpmi_display_name, gpmi_parameters)
     values ('oidc', '${PLUGIN}', '${PLUGIN}', $1)`,
    [JSON.stringify(parameters)],
  )
}

/** Returns the path of its configuration, which is removed at the end. */
export async function writeSettings(port: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-glewlwyd-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const { searchParams, username, password, pathname } = new URL(DATABASE_URL)
  const connection = `host=${searchParams.get('host')} port=${searchParams.get('port')} user=${username} password=${password} dbname=${pathname.slice(1)}`
  const modules = ['user', 'client', 'plugin'].map(
    (kind) => `${kind}_module_path="/usr/lib/glewlwyd/${kind}"`,
  )
  const path = join(folder, 'glewlwyd.conf')
  await writeFile(
    path,
    `port=${port}
bind_address="127.0.0.1"
external_url="http://127.0.0.1:${port}"
login_url="login.html"
api_prefix="api"
cookie_domain="127.0.0.1"
log_mode="console"
log_level="NONE"
hash_algorithm="SHA256"
admin_scope="g_admin"
profile_scope="g_profile"
${modules.join('\n')}
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
database = { type = "postgre"; conninfo = "${connection}" };
`,
    { mode: 0o600 },
  )
  return path
}
