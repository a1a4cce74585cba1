import type { Config } from '../../config.ts'
import { installedExtensions } from '../../foundation/db/migration/extensions.ts'
import { OLDEST_POSTGRES_MAJOR } from '../../foundation/db/migration/migrate.ts'
import { type AppliedMigration, loadMigrations } from '../../foundation/db/migration/migrations.ts'
import {
  isPossible,
  pendingIndexes,
  pendingMigrations,
} from '../../foundation/db/migration/pending-migrations.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import type { Attached } from '../attach.ts'
import { explainError } from '../explain-error.ts'
import { checkContents } from './check-contents.ts'
import { checkDurability, checkPooler, checkSpace } from './check-durability.ts'
import { checkMemory } from './check-memory.ts'
import { checkSearch } from './check-search.ts'
import { broken, type Finding, fine, note } from './finding.ts'

/** With a larger difference, times written by the database and by this machine contradict each other. */
const NOTED_CLOCK_MS = 2000
const BROKEN_CLOCK_MS = 30_000

/** Checks the database. Its contents are checked only if the schema is current. */
export async function checkDatabase(
  attached: Attached,
  config: Config,
): Promise<readonly Finding[]> {
  const isEmpty = await isEmptyDatabase(attached)
  const [schema, ...newer] = isEmpty ? [EMPTY] : await checkSchema(attached)
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
async function checkSchema({ pool }: Attached): Promise<readonly [Finding, ...Finding[]]> {
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
        ...checkNewer(applied.rows, ours.at(-1)?.number ?? 0),
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
function checkNewer(applied: readonly AppliedMigration[], newest: number): readonly Finding[] {
  const names = applied.filter(({ number }) => number > newest).map(({ name }) => name)
  if (names.length === 0) return []
  return [
    note(
      'newer schema',
      `A newer version of Schoolgate has migrated this database (${names.sort().join(', ')}).`,
      'finish the upgrade: install that version here, too; only one version back is known to serve beside it',
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
