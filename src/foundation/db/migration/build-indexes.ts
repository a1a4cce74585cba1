import { setTimeout as sleep } from 'node:timers/promises'
import type { ClosableClient } from '../closable-client.ts'
import { withOwnConnection } from '../connection-pool.ts'
import type { ConnectionSettings } from '../hosts.ts'
import {
  type AppliedMigration,
  type IndexOfFile,
  type Migration,
  MigrationError,
  recordMigration,
} from './migrations.ts'
import { isPossible, pendingIndexes } from './pending-migrations.ts'

/** An arbitrary number, the same in all our processes. */
const BUILDING_LOCK = 7_346_502
/** How often progress is read, and how often another process is looked at that builds. */
const LOOK_MS = 5_000

export type IndexEvent =
  | { readonly what: 'begun' | 'removed unfinished' | 'built'; readonly index: IndexOfFile }
  | { readonly what: 'progress'; readonly index: IndexOfFile; readonly progress: IndexProgress }

export interface IndexBuilding {
  readonly migrations: readonly Migration[]
  /** For looking at the build and ending it: on another connection than the building one. */
  readonly query: Query
  readonly onEvent: (event: IndexEvent) => void
  readonly signal?: AbortSignal | undefined
  readonly lookMs?: number | undefined
}

/**
 * Builds the indexes that are missing, one after another, while other connections read and write.
 * Of several processes one builds and the others wait, and take over if it dies. Returns when all
 * are built, or when the signal comes. An index of an extension that the database lacks is left
 * out.
 */
export async function buildIndexes(
  connection: ConnectionSettings,
  building: IndexBuilding,
): Promise<readonly Migration[]> {
  const { migrations, query, signal, lookMs = LOOK_MS } = building
  const built: Migration[] = []
  while (!signal?.aborted) {
    const { rows } = await query('select number, name, digest from schema_migrations', [])
    const extensions = await installedExtensions({ query: (sql) => query(sql, []) })
    const next = pendingIndexes(migrations, rows as AppliedMigration[]).find((migration) =>
      isPossible(migration, extensions),
    )
    if (next?.indexes === undefined) break
    const outcome = await buildAlone(connection, next, next.indexes, building)
    if (outcome === 'built') built.push(next)
    if (outcome === 'others build') await lookOn(next.indexes, building, lookMs)
  }
  return built
}

/**
 * Builds if no other process does. The lock belongs to a transaction of another connection: CREATE
 * INDEX CONCURRENTLY refuses to run in one, and a lock of the session would stay in the connection
 * of a pooler. That transaction must have no snapshot while the index is built, because the build
 * waits for all older ones: so it sends nothing meanwhile.
 */
async function buildAlone(
  connection: ConnectionSettings,
  migration: Migration,
  indexes: readonly IndexOfFile[],
  building: IndexBuilding,
): Promise<'built' | 'built before' | 'others build'> {
  const settings = { ...connection, application_name: 'schoolgate index lock' }
  return await withOwnConnection(settings, async (holder) => {
    await holder.query('begin isolation level read committed')
    await holder.query('set local idle_in_transaction_session_timeout = 0')
    // Without parameters: a statement with parameters would keep its snapshot until the transaction
    // ends.
    const { rows } = await holder.query<{ isOurs: boolean }>(
      `select pg_try_advisory_xact_lock(${BUILDING_LOCK}) as "isOurs"`,
    )
    if (!rows[0]?.isOurs) return 'others build'
    const own = { ...connection, application_name: 'schoolgate index' }
    return await withOwnConnection(own, async (client) => {
      for (const index of indexes) await build(client, index, building)
      if (!(await recordMigration(client, migration))) return 'built before'
      for (const index of indexes) building.onEvent({ what: 'built', index })
      return 'built'
    })
  })
}

async function build(
  client: ClosableClient,
  index: IndexOfFile,
  { query, onEvent, signal, lookMs = LOOK_MS }: IndexBuilding,
): Promise<void> {
  const finished = new AbortController()
  const end = (): void => void endBuild(client, query)
  signal?.addEventListener('abort', end, { once: true })
  void reportProgress(index, query, onEvent, lookMs, finished.signal)
  try {
    signal?.throwIfAborted()
    await client.query('set statement_timeout = 0; set lock_timeout = 0')
    // If this process is killed, PostgreSQL ends the build too. Not every system can do that.
    await client.query('set client_connection_check_interval = 1000').catch(() => undefined)
    await othersEnded(client, index, lookMs, signal)
    let state = await stateOf(client, index)
    if (state === 'unfinished') {
      await client.query(`drop index concurrently if exists ${index.name}`)
      onEvent({ what: 'removed unfinished', index })
    }
    if (state !== 'built') {
      onEvent({ what: 'begun', index })
      await client.query(index.sql)
      // Of an expression, PostgreSQL knows nothing before: it would not choose the index.
      await client.query(`analyze ${index.table}`)
      state = await stateOf(client, index)
    }
    if (state !== 'built') throw new MigrationError(`The index ${index.name} was not built.`)
  } finally {
    finished.abort()
    signal?.removeEventListener('abort', end)
  }
}

/**
 * The build of a process that was killed may still run, and may succeed. A lock of the table would
 * wait for it, but the build would also wait for the transaction that wants this lock. PostgreSQL
 * ends the report of its progress a moment before it commits, so the statement counts, too.
 */
async function othersEnded(
  client: ClosableClient,
  { name, table }: IndexOfFile,
  lookMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    const { rowCount } = await client.query(
      `select from pg_stat_progress_create_index
       where datname = current_database() and relid = to_regclass($1)
       union all
       select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and state = 'active' and query ~* 'create\\s+index' and position($2 in query) > 0`,
      [table, name],
    )
    if (rowCount === 0) return
    await pause(lookMs, signal)
    signal?.throwIfAborted()
  }
}

async function stateOf(
  client: ClosableClient,
  { name, table }: IndexOfFile,
): Promise<'missing' | 'unfinished' | 'built'> {
  const { rows } = await client.query<{ isValid: boolean; isHere: boolean }>(
    `select coalesce(i.indisvalid, false) as "isValid", coalesce(i.indrelid = to_regclass($2), false) as "isHere"
     from pg_class c left join pg_index i on i.indexrelid = c.oid where c.oid = to_regclass($1)`,
    [name, table],
  )
  const [found] = rows
  if (found === undefined) return 'missing'
  if (!found.isHere) {
    throw new MigrationError(
      `The index ${name} cannot be built: the name belongs to something that is not an index of ${table}. Rename that.`,
    )
  }
  return found.isValid ? 'built' : 'unfinished'
}

/** The unfinished index stays; the next process that builds removes it. */
async function endBuild(client: ClosableClient, query: Query): Promise<void> {
  await query(
    'select pg_cancel_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()',
    [client.applicationName],
  ).catch(() => undefined)
  client.giveUp()
}

async function reportProgress(
  index: IndexOfFile,
  query: Query,
  onEvent: IndexBuilding['onEvent'],
  lookMs: number,
  finished: AbortSignal,
): Promise<void> {
  while (await pause(lookMs, finished)) {
    const progress = await findProgress(query, index.name).catch(() => undefined)
    if (progress !== undefined && !finished.aborted) onEvent({ what: 'progress', index, progress })
  }
}

/** While another process builds. */
async function lookOn(
  indexes: readonly IndexOfFile[],
  building: IndexBuilding,
  lookMs: number,
): Promise<void> {
  for (const index of indexes) {
    const progress = await findProgress(building.query, index.name)
    if (progress !== undefined) building.onEvent({ what: 'progress', index, progress })
  }
  await pause(lookMs, building.signal)
}

/** False if the signal came. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return await sleep(ms, true, { signal }).catch(() => false)
}

/** Sends a statement on a connection that is not the building one. */
export type Query = (sql: string, values: unknown[]) => Promise<{ rows: readonly unknown[] }>

export interface IndexProgress {
  /** PostgreSQL's own words, such as `building index: scanning table`. */
  readonly phase: string
  /** Of this phase; null while PostgreSQL waits for transactions or does not say. */
  readonly percent: number | null
}

/** Undefined if no process builds the index at this moment. */
export async function findProgress(
  query: Query,
  index: string,
): Promise<IndexProgress | undefined> {
  const { rows } = await query(
    `select phase, floor(100.0 * coalesce(
       tuples_done::numeric / nullif(tuples_total, 0), blocks_done::numeric / nullif(blocks_total, 0)))::int as percent
     from pg_stat_progress_create_index
     where datname = current_database() and index_relid = to_regclass($1)`,
    [index],
  )
  return rows[0] as IndexProgress | undefined
}

export function saidProgress(progress: IndexProgress | undefined): string {
  if (progress === undefined) return 'no process builds it at this moment'
  const { phase, percent } = progress
  return percent === null ? phase : `${phase}, ${percent} percent`
}

interface Queryable {
  query(sql: string): Promise<{ rows: readonly unknown[] }>
}

/** The names of the extensions that the database has. */
export async function installedExtensions(database: Queryable): Promise<ReadonlySet<string>> {
  const { rows } = await database.query('select extname as name from pg_extension')
  return new Set(rows.map((row) => (row as { name: string }).name))
}
