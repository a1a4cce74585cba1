import { readFile } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import { installedExtensions } from '../../foundation/db/migration/build-indexes.ts'
import {
  type AppliedMigration,
  loadMigrations,
  type Migration,
} from '../../foundation/db/migration/migrations.ts'
import {
  isPossible,
  newerMigrations,
  pendingIndexes,
  pendingMigrations,
} from '../../foundation/db/migration/pending-migrations.ts'
import { PACKAGE_FOLDER } from '../../foundation/package-folder.ts'
import { commandText } from '../../foundation/text/command-name.ts'
import { explainError } from '../explain-error.ts'
import type { Attached } from '../with-database.ts'
import { broken, type Finding, fine, note } from './finding.ts'

export const EMPTY = note(
  'migrations',
  'The database is empty.',
  'nothing: the first start fills it',
)

export async function isEmptyDatabase({ pool }: Attached): Promise<boolean> {
  const { rows } = await pool.query<{ empty: boolean }>(
    "select to_regclass('public.schema_migrations') is null as empty",
  )
  return rows[0]?.empty === true
}

/** The first finding is about the migrations of this build. */
export async function checkSchema(
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
      const newer = newerMigrations(ours, applied.rows)
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
        ...(newer.length === 0
          ? await checkObjects(pool, new Set(indexes.flatMap(namesOfIndexes)))
          : checkNewer(newer, config)),
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

const namesOfIndexes = ({ indexes = [] }: Migration) => indexes.map(({ name }) => name)

const SCHEMA = new URL('migrations/schema.sql', PACKAGE_FOLDER)
const MADE = /^(?:create (table) (\w+)|CREATE (?:UNIQUE )?(INDEX|TRIGGER) (\w+))/gm
const MOST_NAMED = 5

/** Whether the database has every table, index and trigger that the migrations make. */
async function checkObjects(
  pool: Attached['pool'],
  notBuilt: ReadonlySet<string>,
): Promise<readonly Finding[]> {
  const described = await readFile(SCHEMA, 'utf8')
  const wanted = [...described.matchAll(MADE)].map(
    ([, table, tableName, kind, name]) =>
      `${(table ?? kind ?? '').toLowerCase()} ${tableName ?? name}`,
  )
  const { rows } = await pool.query<{ name: string }>(
    `select case relkind when 'r' then 'table ' else 'index ' end || relname as name
       from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')
     union all select 'trigger ' || tgname from pg_trigger where not tgisinternal`,
  )
  const present = new Set(rows.map(({ name }) => name))
  const missing = wanted.filter(
    (name) => !present.has(name) && !notBuilt.has(name.replace('index ', '')),
  )
  if (missing.length === 0) return []
  const more = missing.length - MOST_NAMED
  const named = missing.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
  return [
    broken(
      'schema',
      `The migrations made what the database no longer has: ${named}.`,
      'migrations/schema.sql has the statement of each; for a table restore a backup',
    ),
  ]
}
