import { statfs } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import { proveGrowth } from '../../domain/setup/write-proof.ts'
import { losesPreparedStatements } from '../../foundation/db/database-url.ts'
import { memoryOfMachine } from '../../foundation/db/embedded/cluster.ts'
import { installedExtensions } from '../../foundation/db/migration/build-indexes.ts'
import { OLDEST_POSTGRES_MAJOR } from '../../foundation/db/migration/migrate.ts'
import { TRIGRAMS } from '../../foundation/db/migration/migrations.ts'
import { laneSizes, TIME_OUTS } from '../../foundation/db/time-outs.ts'
import { DISK_FULL, isDatabaseUnavailable } from '../../foundation/db/unavailable.ts'
import { POOLER_REMEDY } from '../../start/prepare.ts'
import type { Attached } from '../with-database.ts'
import { checkContents } from './check-contents.ts'
import { checkSchema, EMPTY, isEmptyDatabase } from './check-schema.ts'
import { broken, type Finding, fine, note } from './finding.ts'

/**
 * With a larger difference, times written by the database and by this machine contradict each
 * other.
 */
const NOTED_CLOCK_MS = 2000
const BROKEN_CLOCK_MS = 30_000

/** Checks the database. Its contents are checked only if the schema is current. */
export async function checkDatabase(
  attached: Attached,
  config: Config,
): Promise<readonly Finding[]> {
  const isEmpty = await isEmptyDatabase(attached)
  const [schema, ...further] = isEmpty ? [EMPTY] : await checkSchema(attached, config)
  const findings = [
    await checkVersion(attached),
    ...(await checkPooler(attached)),
    ...(await checkRole(attached, config)),
    schema,
    ...further,
    await checkClock(attached),
    // The first start makes the extension.
    isEmpty ? await checkLocale(attached) : await checkSearch(attached),
    ...(await checkDurability(attached)),
    await checkSpace(attached, config),
    ...(await checkMemory(attached)),
  ]
  if (schema.status !== 'ok') return findings
  return [...findings, ...(await checkContents(attached.db, config))]
}

async function checkVersion({ pool, by }: Attached): Promise<Finding> {
  const { rows } = await pool.query<{ version: string; number: string }>(
    "select current_setting('server_version') as version, current_setting('server_version_num') as number",
  )
  const { version = 'unknown', number = '0' } = rows[0] ?? {}
  if (Number(number) >= OLDEST_POSTGRES_MAJOR * 10_000) {
    return fine('database', `PostgreSQL ${version} answers (${by}).`)
  }
  return broken(
    'database',
    `PostgreSQL ${version} is too old; ${OLDEST_POSTGRES_MAJOR} or newer is needed.`,
    'upgrade the server, or point DATABASE_URL at another',
  )
}

async function checkClock({ pool }: Attached): Promise<Finding> {
  const before = Date.now()
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now')
  const after = Date.now()
  const here = (before + after) / 2
  const difference = Math.abs((rows[0]?.now.getTime() ?? 0) - here) - (after - before) / 2
  const seconds = (Math.max(0, difference) / 1000).toFixed(1)
  if (difference < NOTED_CLOCK_MS) {
    return fine('clock', `This machine and the database agree to within ${seconds} s.`)
  }
  const message = `The clocks of this machine and of the database differ by ${seconds} s.`
  const remedy = 'set both by NTP (timedatectl set-ntp true)'
  return difference < BROKEN_CLOCK_MS
    ? note('clock', message, remedy)
    : broken('clock', message, remedy)
}

/** What the embedded PostgreSQL took of the memory; of another one we do not know the machine. */
async function checkMemory({ pool, by }: Attached): Promise<readonly Finding[]> {
  if (by === 'DATABASE_URL') return []
  const { rows } = await pool.query<{ buffers: string; sort: string }>(
    `select current_setting('shared_buffers') as buffers, current_setting('work_mem') as sort`,
  )
  const gigabytes = (memoryOfMachine() / 1024 ** 3).toFixed(1)
  return rows.map(({ buffers, sort }) =>
    fine(
      'memory',
      `Of the ${gigabytes} GB here PostgreSQL keeps up to ${buffers} of tables in memory, and takes up to ${sort} for a sort.`,
    ),
  )
}

interface RoleRow {
  readonly role: string
  readonly creates: boolean
  readonly owns: boolean
  readonly limit: number
  readonly most: number
}

/** Whether the user of DATABASE_URL may change the schema, and may open enough connections. */
async function checkRole({ pool, by }: Attached, config: Config): Promise<readonly Finding[]> {
  if (by !== 'DATABASE_URL') return []
  const { rows } = await pool.query<RoleRow>(
    `select current_user as role,
       has_schema_privilege('public', 'create') as creates,
       not exists (select from pg_class c where c.relnamespace = 'public'::regnamespace
         and c.relkind = 'r' and not pg_has_role(c.relowner, 'usage')
         and not exists (select from pg_depend e where e.objid = c.oid and e.deptype = 'e')) as owns,
       least(nullif(r.rolconnlimit, -1), nullif(d.datconnlimit, -1),
         current_setting('max_connections')::int
           - current_setting('superuser_reserved_connections')::int) as limit,
       current_setting('max_connections')::int as most
     from pg_roles r, pg_database d where r.rolname = current_user and d.datname = current_database()`,
  )
  return rows.flatMap((row) => judgeRole(row, config))
}

export function judgeRole(row: RoleRow, config: Config): readonly Finding[] {
  const { role, creates, owns, limit } = row
  const needed = connectionsOf(config)
  return [
    ...(creates && owns
      ? []
      : [
          broken(
            'role',
            `The user ${role} does not own ${creates ? 'every table of ' : ''}the database, so a start cannot change the schema.`,
            `as a superuser: alter database … owner to ${role}; reassign owned by … to ${role}`,
          ),
        ]),
    limit >= needed
      ? fine(
          'connections',
          `The ${needed} connections that this machine opens at most are allowed.`,
        )
      : note(
          'connections',
          `This machine opens up to ${needed} connections, and the user ${role} may have ${limit}.`,
          'unless a pooler shares them: raise the limit of the role, of the database or max_connections, or lower DATABASE_POOL_SIZE or WORKERS',
        ),
  ]
}

/** The pools of all processes of this machine, and for each a listener and a probe. */
function connectionsOf({ DATABASE_POOL_SIZE: size, WORKERS }: Config): number {
  const { stranger, interactive, batch } = laneSizes(size)
  return WORKERS * (stranger + interactive + batch + Math.ceil(size / 2) + 2)
}

/** Of a database that is still empty, when it costs nothing to make another. */
async function checkLocale({ pool }: Attached): Promise<Finding> {
  const { rows } = await pool.query<{ encoding: string; letters: string }>(
    `select pg_encoding_to_char(encoding) as encoding, datctype as letters
     from pg_database where datname = current_database()`,
  )
  const { encoding = '', letters = '' } = rows[0] ?? {}
  const remedy =
    'before the first start make it anew: create database … encoding UTF8 locale C.UTF-8 template template0 (docs/guides/postgresql.md)'
  if (encoding !== 'UTF8') {
    return broken('locale', `The database stores text as ${encoding}, and needs UTF8.`, remedy)
  }
  return letters === 'C' || letters === 'POSIX'
    ? note(
        'locale',
        'The locale of the database knows no letters beyond ASCII: a search for other letters will read every row of the school.',
        remedy,
      )
    : fine('locale', `The database stores text as UTF8, and its locale is ${letters}.`)
}

/**
 * Whether searches are answered by indexes. Without them they find the same, but read every row of
 * the school.
 */
export async function checkSearch({ pool }: Pick<Attached, 'pool'>): Promise<Finding> {
  const extensions = await installedExtensions(pool)
  if (!extensions.has(TRIGRAMS)) {
    return note(
      'search',
      `The database lacks the extension ${TRIGRAMS}: a search reads every row of the school.`,
      `as the owner of the database run \`create extension ${TRIGRAMS}\` (on some systems it is a package called contrib), then restart the server, which builds the indexes`,
    )
  }
  // What is a letter, the extension asks the locale of the system.
  const { rows } = await pool.query<{ trigrams: number }>(
    "select cardinality(show_trgm('\u5c71\u7530')) as trigrams",
  )
  if (rows[0]?.trigrams === 0) {
    return note(
      'search',
      'The locale of the database knows no letters beyond ASCII: a search for other letters reads every row of the school.',
      'if such searches are slow, make a backup and restore it into a new database with the locale C.UTF-8',
    )
  }
  return fine('search', 'Searches are answered by indexes, in every script.')
}

/** With less, PostgreSQL may soon be unable to write its log, and then stops. */
const LITTLE_SPACE_BYTES = 500_000_000

interface Replication {
  readonly fsync: string
  readonly commit: string
  /** Of synchronous standbys. */
  readonly names: string
  readonly standbys: number
}

async function checkDurability({ pool }: Attached): Promise<readonly Finding[]> {
  const { rows } = await pool.query<Replication>(
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
       current_setting('synchronous_standby_names') as names,
       (select count(*)::int from pg_stat_replication) as standbys`,
  )
  return rows.map(judgeDurability)
}

/** What a crash or a failover can lose. */
export function judgeDurability({ fsync, commit, names, standbys }: Replication): Finding {
  if (fsync === 'off') {
    return note(
      'durability',
      'PostgreSQL runs with fsync=off: a power failure can destroy the database.',
      'set fsync=on, unless this installation is only for tests',
    )
  }
  if (commit === 'off') {
    return note(
      'durability',
      'PostgreSQL confirms changes before they are on its disk (synchronous_commit=off): a crash can lose the last ones.',
      'set synchronous_commit=on',
    )
  }
  if (standbys > 0 && (names === '' || commit === 'local')) {
    return note(
      'durability',
      `${standbys === 1 ? 'A standby follows' : `${standbys} standbys follow`} asynchronously: a failover can lose what was confirmed in the last moments. Then revoked tokens are accepted again, and clients that refreshed must sign in again.`,
      'set synchronous_standby_names (and synchronous_commit=on), or let Patroni do so: synchronous_mode: true',
    )
  }
  return fine(
    'durability',
    standbys === 0
      ? 'What is confirmed is on the disk of the database; no standby follows.'
      : 'What is confirmed is on the disk of the database and of a standby.',
  )
}

async function checkPooler(attached: Attached): Promise<readonly Finding[]> {
  const { connection, by } = attached
  if (by !== 'DATABASE_URL') return []
  const lost = await lostSettings(attached)
  return [
    ...((await losesPreparedStatements(connection, TIME_OUTS.connectAlone))
      ? [
          broken(
            'pooler',
            'A pooler in front of PostgreSQL loses prepared statements: requests fail at random.',
            POOLER_REMEDY,
          ),
        ]
      : []),
    ...(lost.length === 0
      ? []
      : [
          broken(
            'pooler',
            `A pooler in front of PostgreSQL drops settings of our connections: ${lost.join(', ')}.`,
            'set them on the role; docs/guides/pgbouncer.md has the statements',
          ),
        ]),
  ]
}

/** Settings that each connection asks for, and that neither it nor its role has. */
async function lostSettings({ pool }: Attached): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select name from pg_settings where name = 'TimeZone' and setting not in ('UTC', 'Etc/UTC', 'GMT')
       or name = 'default_transaction_isolation' and setting <> 'read committed'
       or name in ('statement_timeout', 'idle_in_transaction_session_timeout') and setting = '0'
     order by name`,
  )
  return rows.map(({ name }) => name)
}

/** Writes to a table that is dropped at once. */
async function checkSpace({ db, by }: Attached, config: Config): Promise<Finding> {
  try {
    await proveGrowth(db)
  } catch (error) {
    if (!isDatabaseUnavailable(error) || error.code !== DISK_FULL) throw error
    return broken(
      'disk',
      'The disk of the database is full.',
      'free space, or enlarge the disk; nothing that was confirmed is lost',
    )
  }
  if (by === 'DATABASE_URL') return fine('disk', 'Tables can grow.')
  const { bavail, bsize } = await statfs(config.SCHOOLGATE_DATA_DIR)
  const free = bavail * bsize
  const megabytes = `${Math.floor(free / 1_000_000)} MB`
  return free < LITTLE_SPACE_BYTES
    ? note(
        'disk',
        `Only ${megabytes} are free in the data folder.`,
        'free space, or enlarge the disk',
      )
    : fine('disk', `${megabytes} are free in the data folder.`)
}
