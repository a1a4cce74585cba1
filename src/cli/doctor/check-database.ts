import { statfs } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import { proveGrowth } from '../../domain/setup/write-proof.ts'
import { losesPreparedStatements } from '../../foundation/db/database-url.ts'
import { memoryOfMachine } from '../../foundation/db/embedded/cluster.ts'
import { installedExtensions } from '../../foundation/db/migration/build-indexes.ts'
import { OLDEST_POSTGRES_MAJOR } from '../../foundation/db/migration/migrate.ts'
import {
  type AppliedMigration,
  loadMigrations,
  TRIGRAMS,
} from '../../foundation/db/migration/migrations.ts'
import {
  isPossible,
  newerMigrations,
  pendingIndexes,
  pendingMigrations,
} from '../../foundation/db/migration/pending-migrations.ts'
import { TIME_OUTS } from '../../foundation/db/time-outs.ts'
import { DISK_FULL, isDatabaseUnavailable } from '../../foundation/db/unavailable.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import { POOLER_REMEDY } from '../../start/prepare.ts'
import { explainError } from '../explain-error.ts'
import type { Attached } from '../with-database.ts'
import { checkContents } from './check-contents.ts'
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
  const [schema, ...newer] = isEmpty ? [EMPTY] : await checkSchema(attached, config)
  const findings = [
    await checkVersion(attached),
    ...(await checkPooler(attached)),
    schema,
    ...newer,
    await checkClock(attached),
    // The first start makes the extension.
    ...(isEmpty ? [] : [await checkSearch(attached)]),
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

const EMPTY = note('migrations', 'The database is empty.', 'nothing: the first start fills it')

async function isEmptyDatabase({ pool }: Attached): Promise<boolean> {
  const { rows } = await pool.query<{ empty: boolean }>(
    "select to_regclass('public.schema_migrations') is null as empty",
  )
  return rows[0]?.empty === true
}

/** The first finding is about the migrations of this build. */
async function checkSchema(
  { pool }: Attached,
  config: Config,
): Promise<readonly [Finding, ...Finding[]]> {
  const applied = await pool.query<AppliedMigration>(
    'select number, name, digest from schema_migrations',
  )
  try {
    const ours = await loadMigrations()
    const pending = pendingMigrations(ours, applied.rows)
    if (pending.length === 0) {
      const indexes = pendingIndexes(ours, applied.rows)
      const extensions = await installedExtensions(pool)
      const count = ours.length - indexes.length
      return [
        fine('migrations', `All ${count} migrations of this build are applied.`),
        ...indexes
          .filter((migration) => isPossible(migration, extensions))
          .flatMap(({ indexes = [] }) => indexes)
          .map(({ name, table }) =>
            note(
              'index',
              `The index ${name} on ${table} is not built yet.`,
              `nothing: a running server builds it; ${commandText('migrate')} shows its progress`,
            ),
          ),
        ...checkNewer(newerMigrations(ours, applied.rows), config),
      ]
    }
    return [
      broken(
        'migrations',
        `${pending.length} migrations are not applied, beginning with ${pending[0]?.name}.`,
        `make a backup, then run ${commandText('migrate')}`,
      ),
    ]
  } catch (error) {
    const { error: message, remedy } = explainError(error, {})
    return [broken('migrations', message, remedy)]
  }
}

/** Older processes go on beside newer ones during an upgrade; to stay behind is a mistake. */
function checkNewer(
  names: readonly string[],
  { SCHOOLGATE_NEWER_SCHEMA }: Config,
): readonly Finding[] {
  if (names.length === 0) return []
  const message = `A newer version of Schoolgate has migrated this database (${names.join(', ')}).`
  const remedy =
    'finish the upgrade: install that version here, too; only one version back is known to serve beside it'
  return [
    SCHOOLGATE_NEWER_SCHEMA === 'serve'
      ? note('newer schema', message, remedy)
      : broken(
          'newer schema',
          `${message} This version would not start on it.`,
          `${remedy}, with SCHOOLGATE_NEWER_SCHEMA=serve`,
        ),
  ]
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
