import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { withOwnConnection } from '../connection-pool.ts'
import type { ConnectionSettings } from '../hosts.ts'
import { TIME_OUTS } from '../time-outs.ts'
import { installedExtensions } from './build-indexes.ts'
import {
  type AppliedMigration,
  CREATE_RECORD,
  FIRST_SET_SIZE,
  loadMigrations,
  type Migration,
  MigrationError,
  readRecord,
  recordMigration,
  withoutConcurrently,
} from './migrations.ts'
import {
  allPending,
  isPossible,
  isRecordOfOldRelease,
  pendingMigrations,
} from './pending-migrations.ts'

/** An arbitrary number, the same in all our processes. */
const MIGRATION_LOCK = 7_346_501

export const OLDEST_POSTGRES_MAJOR = 15

/** lock_not_available: the statement waited longer than lock_timeout. */
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * A migration that does not get the lock of a table gives up soon, lets requests pass, and tries
 * again.
 */
interface LockPatience {
  readonly waitMs?: number
  readonly pauseMs?: number
  readonly tries?: number
  readonly onBusy?: (migration: Migration) => void
}

/**
 * Brings the database up to date and returns the migrations it applied. Several processes may run
 * it at once. Indexes of `.background.sql` and `.awaited.sql` are left to `buildIndexes`, except in
 * a database that is made here.
 */
export async function migrate(
  connection: ConnectionSettings,
  from?: readonly Migration[],
  patience: LockPatience = {},
): Promise<readonly Migration[]> {
  const { waitMs, pauseMs, tries, onBusy } = { ...TIME_OUTS.migrationLock, ...patience }
  const migrations = from ?? (await loadMigrations())
  const settings = { ...connection, application_name: 'schoolgate migrate' }
  return await withOwnConnection(settings, async (client) => {
    await checkServerVersion(client)
    const applied: Migration[] = []
    const state = { isNew: false, waitMs }
    for (let left = tries; ; ) {
      try {
        const next = await applyNext(client, migrations, state)
        if (next === undefined) return applied
        applied.push(next)
        left = tries
      } catch (error) {
        left -= 1
        if (!(error instanceof BusyTableError) || left <= 0) throw error
        onBusy?.(error.migration)
        await sleep(pauseMs)
      }
    }
  })
}

/**
 * Applies one migration in one transaction. The lock belongs to the transaction: a lock of the
 * session would stay in the connection of a pooler, and the next process would wait for it forever.
 */
async function applyNext(
  client: pg.Client,
  migrations: readonly Migration[],
  state: { isNew: boolean; readonly waitMs: number },
): Promise<Migration | undefined> {
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await client.query(CREATE_RECORD)
    let applied = await readRecord(client)
    if (isRecordOfOldRelease(applied)) applied = await adoptOldRelease(client, migrations)
    state.isNew ||= applied.length === 0
    const next = state.isNew
      ? await nextOfNew(client, allPending(migrations, applied))
      : pendingMigrations(migrations, applied)[0]
    if (next !== undefined) await apply(client, next, state.waitMs)
    await client.query('commit')
    return next
  } catch (error) {
    // If the connection is gone too, report the first error.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

async function nextOfNew(
  client: pg.Client,
  pending: readonly Migration[],
): Promise<Migration | undefined> {
  const extensions = await installedExtensions(client)
  return pending.find((migration) => isPossible(migration, extensions))
}

class BusyTableError extends MigrationError {
  readonly migration: Migration

  constructor(migration: Migration, options: ErrorOptions) {
    super(
      `Migration ${migration.name} did not get the lock of a table that other transactions use. ` +
        'End long transactions (pg_stat_activity shows them; a backup is one) or wait for them, then try again.',
      options,
    )
    this.migration = migration
  }
}

async function apply(client: pg.Client, migration: Migration, waitMs: number): Promise<void> {
  try {
    await client.query(`set local lock_timeout = ${waitMs}`)
    await client.query(withoutConcurrently(migration.sql))
    await recordMigration(client, migration)
  } catch (cause) {
    if ((cause as { code?: string }).code === LOCK_NOT_AVAILABLE) {
      throw new BusyTableError(migration, { cause })
    }
    throw new MigrationError(
      `Migration ${migration.name} failed and was rolled back: ${(cause as Error).message}`,
      { cause },
    )
  }
}

async function checkServerVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: string; version: string }>(
    "select current_setting('server_version_num') as number, current_setting('server_version') as version",
  )
  checkPostgresVersion(Number(rows[0]?.number), rows[0]?.version ?? 'of an unknown version')
}

/** Refuses a PostgreSQL that is older than those we test on, before anything is changed in it. */
export function checkPostgresVersion(number: number, version: string): void {
  if (number >= OLDEST_POSTGRES_MAJOR * 10_000) return
  throw new MigrationError(
    `The database is PostgreSQL ${version}; Schoolgate needs ${OLDEST_POSTGRES_MAJOR} or newer. ` +
      'Upgrade the server or point DATABASE_URL elsewhere.',
  )
}

/**
 * The schema that the first set is applied in to compare; it exists only inside the transaction.
 */
const SCRATCH = 'schoolgate_first_set'
const SHOWN_DIFFERENCES = 10

/**
 * Moves a database with the migrations of 0.1.0 to today's first set, which makes the same schema:
 * compares the two schemas, then rewrites the record, and returns it. Runs in the transaction of
 * the caller.
 */
async function adoptOldRelease(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<readonly AppliedMigration[]> {
  const firstSet = migrations.slice(0, FIRST_SET_SIZE)
  const differences = compare(await expectedCatalogue(client, firstSet), await ourCatalogue(client))
  if (differences.length > 0) throw refusal(differences)
  await client.query('delete from schema_migrations')
  for (const migration of firstSet) await recordMigration(client, migration)
  return firstSet
}

async function expectedCatalogue(
  client: pg.Client,
  firstSet: readonly Migration[],
): Promise<Catalogue> {
  await client.query(
    `savepoint comparison; create schema ${SCRATCH}; set local search_path to ${SCRATCH}`,
  )
  await client.query(CREATE_RECORD)
  for (const { sql } of firstSet) await client.query(sql)
  const catalogue = await readCatalogue(client, SCRATCH)
  await client.query('rollback to savepoint comparison')
  return catalogue
}

async function ourCatalogue(client: pg.Client): Promise<Catalogue> {
  await client.query('savepoint comparison; set local search_path to public')
  const catalogue = await readCatalogue(client, 'public')
  await client.query('rollback to savepoint comparison')
  return catalogue
}

function compare(expected: Catalogue, actual: Catalogue): readonly string[] {
  const [wanted, present] = [byName(expected), byName(actual)]
  return [...new Set([...wanted.keys(), ...present.keys()])].flatMap((name) => {
    if (!present.has(name)) return `${name} is missing`
    if (!wanted.has(name)) return `${name} is not part of 0.1.0`
    return wanted.get(name) === present.get(name) ? [] : `${name} is different`
  })
}

const KINDS: Readonly<Record<keyof Catalogue, string>> = {
  tables: 'table',
  columns: 'column',
  constraints: 'constraint',
  indexes: 'index',
  statistics: 'statistics object',
  triggers: 'trigger',
  functions: 'function',
}

/**
 * Each object of the schema under a name that an operator understands, as in `column schools.name`.
 */
function byName(catalogue: Catalogue): Map<string, string> {
  const objects = Object.entries(KINDS).flatMap(([list, kind]) =>
    catalogue[list as keyof Catalogue].map((object): [string, string] => {
      const table = 'table' in object ? `${object.table}.` : ''
      return [`${kind} ${table}${object.name}`, JSON.stringify(object)]
    }),
  )
  return new Map(objects)
}

function refusal(differences: readonly string[]): MigrationError {
  const shown = differences.slice(0, SHOWN_DIFFERENCES).join(', ')
  const more = differences.length - SHOWN_DIFFERENCES
  return new MigrationError(
    `The record says that Schoolgate 0.1.0 made this database, but the schema differs: ${shown}${more > 0 ? ` and ${more} more` : ''}. ` +
      'Undo these changes by hand (migrations/ shows what is expected), or restore a backup, then try again.',
  )
}

interface Table {
  readonly name: string
  readonly comment: string | null
  readonly options: string | null
}

export interface Column {
  readonly table: string
  readonly name: string
  readonly position: number
  readonly type: string
  readonly nullable: boolean
  readonly fallback: string | null
  readonly comment: string | null
}

interface Definition {
  readonly table: string
  readonly name: string
  readonly definition: string
}

interface RoutineDefinition {
  readonly name: string
  readonly definition: string
  readonly comment: string | null
}

/** Everything that our migrations make, as PostgreSQL describes it. */
export interface Catalogue {
  readonly tables: readonly Table[]
  readonly columns: readonly Column[]
  readonly constraints: readonly Definition[]
  readonly indexes: readonly Definition[]
  readonly statistics: readonly Definition[]
  readonly triggers: readonly Definition[]
  readonly functions: readonly RoutineDefinition[]
}

/** Not what an extension brought that the operator installed. */
const OURS = `not exists (select from pg_depend e where e.objid = c.oid and e.deptype = 'e')`

/**
 * Reads the catalogue of one schema, without settings of autovacuum, which belong to the operator.
 *
 * Definitions read the same on PostgreSQL 15 to 18 and name the schema `public`, whichever it is:
 * two schemas can be compared. The schema must be alone in the search path, otherwise PostgreSQL
 * writes some names with their schema and others without.
 */
export async function readCatalogue(client: pg.Client, schema: string): Promise<Catalogue> {
  const rows = async <R extends object>(sql: string): Promise<R[]> =>
    (await client.query<R>(sql, [schema])).rows.map((row) => namedPublic(row, schema))
  return {
    tables: await rows<Table>(`
      select c.relname as name, obj_description(c.oid, 'pg_class') as comment,
        (select string_agg(o, ', ' order by o) from unnest(c.reloptions) o
          where o not like 'autovacuum_%') as options
      from pg_class c where c.relnamespace = $1::regnamespace and c.relkind = 'r' and ${OURS} order by 1`),
    columns: await rows<Column>(`
      select c.relname as table, a.attname as name,
        row_number() over (partition by c.oid order by a.attnum)::int as position,
        format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
        pg_get_expr(d.adbin, d.adrelid) as fallback, col_description(c.oid, a.attnum) as comment
      from pg_attribute a join pg_class c on c.oid = a.attrelid
        left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = $1::regnamespace and c.relkind = 'r' and ${OURS} and a.attnum > 0
        and not a.attisdropped
      order by c.relname, a.attnum`),
    // Not the not-null constraints: only PostgreSQL 18 lists them here, and columns tell the same.
    constraints: await rows<Definition>(`
      select c.relname as table, k.conname as name, pg_get_constraintdef(k.oid) as definition
      from pg_constraint k join pg_class c on c.oid = k.conrelid
      where c.relnamespace = $1::regnamespace and ${OURS} and k.contype in ('p', 'u', 'f', 'c')
      order by 1, position(k.contype::text in 'pufc'), 2`),
    indexes: await rows<Definition>(`
      select c.relname as table, n.relname as name, pg_get_indexdef(i.indexrelid) as definition
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_class n on n.oid = i.indexrelid
      where c.relnamespace = $1::regnamespace and ${OURS}
        and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))
      order by 1, 2`),
    statistics: await rows<Definition>(`
      select c.relname as table, s.stxname as name, pg_get_statisticsobjdef(s.oid) as definition
      from pg_statistic_ext s join pg_class c on c.oid = s.stxrelid
      where c.relnamespace = $1::regnamespace order by 1, 2`),
    triggers: await rows<Definition>(`
      select c.relname as table, t.tgname as name, pg_get_triggerdef(t.oid) as definition
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = $1::regnamespace and not t.tgisinternal order by 1, 2`),
    functions: await rows<RoutineDefinition>(`
      select p.proname as name, trim(pg_get_functiondef(p.oid), e'\\n') as definition,
        obj_description(p.oid, 'pg_proc') as comment
      from pg_proc p
      where p.pronamespace = $1::regnamespace
        and not exists (select from pg_depend e where e.objid = p.oid and e.deptype = 'e')
      order by 1`),
  }
}

function namedPublic<R extends object>(row: R, schema: string): R {
  if (!('definition' in row) || typeof row.definition !== 'string') return row
  return { ...row, definition: row.definition.replaceAll(`${schema}.`, 'public.') }
}
