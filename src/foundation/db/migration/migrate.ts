import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { withOwnConnection } from '../connection-pool.ts'
import type { ConnectionSettings } from '../hosts.ts'
import { TIME_OUTS } from '../time-outs.ts'
import { adoptOldRelease } from './adopt-old-release.ts'
import { installedExtensions } from './build-indexes.ts'
import {
  CREATE_RECORD,
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
  refuseNewer,
} from './pending-migrations.ts'

/** An arbitrary number, the same in all our processes. */
const MIGRATION_LOCK = 7_346_501

export const OLDEST_POSTGRES_MAJOR = 15

/** lock_not_available: the statement waited longer than lock_timeout. */
const LOCK_NOT_AVAILABLE = '55P03'

interface MigrateOptions {
  /** Whether a schema that a newer version has migrated is refused. */
  readonly newer?: 'refuse' | 'serve'
  /**
   * A migration that does not get the lock of a table gives up soon, lets requests pass, and tries
   * again.
   */
  readonly waitMs?: number
  readonly pauseMs?: number
  readonly tries?: number
  readonly onBusy?: (migration: Migration) => void
  /** Not for a database that is made here. */
  readonly onApplied?: (migration: Migration, milliseconds: number) => void
}

/**
 * Brings the database up to date and returns the migrations it applied. Several processes may run
 * it at once. Indexes of `.background.sql` and `.awaited.sql` are left to `buildIndexes`, except in
 * a database that is made here.
 */
export async function migrate(
  connection: ConnectionSettings,
  from?: readonly Migration[],
  options: MigrateOptions = {},
): Promise<readonly Migration[]> {
  const { newer, waitMs, pauseMs, tries, onBusy, onApplied } = {
    ...TIME_OUTS.migrationLock,
    ...options,
  }
  const migrations = from ?? (await loadMigrations())
  const settings = { ...connection, application_name: 'schoolgate migrate' }
  return await withOwnConnection(settings, async (client) => {
    await checkServerVersion(client)
    const applied: Migration[] = []
    const state = { isNew: false, waitMs, servesNewer: newer === 'serve' }
    for (let left = tries; ; ) {
      const begun = performance.now()
      try {
        const next = await applyNext(client, migrations, state)
        if (next === undefined) return applied
        if (!state.isNew) onApplied?.(next, Math.round(performance.now() - begun))
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
  state: { isNew: boolean; readonly waitMs: number; readonly servesNewer: boolean },
): Promise<Migration | undefined> {
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await client.query(CREATE_RECORD)
    let applied = await readRecord(client)
    if (isRecordOfOldRelease(applied)) applied = await adoptOldRelease(client, migrations)
    if (!state.servesNewer) refuseNewer(migrations, applied)
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
    // A role may have a limit for requests, and a migration takes as long as it needs.
    await client.query(`set local lock_timeout = ${waitMs}; set local statement_timeout = 0`)
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
