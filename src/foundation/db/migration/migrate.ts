import type pg from 'pg'
import type { ConnectionSettings } from '../hosts.ts'
import { withOwnConnection } from '../own-connection.ts'
import { adoptOldRelease } from './adopt.ts'
import { CREATE_RECORD, readRecord, recordMigration } from './migration-record.ts'
import { loadMigrations, type Migration, MigrationError } from './migrations.ts'
import { isRecordOfOldRelease, pendingMigrations } from './pending-migrations.ts'

/** An arbitrary number, the same in all our processes. */
const MIGRATION_LOCK = 7_346_501

export const OLDEST_POSTGRES_MAJOR = 15

/** Brings the database up to date and returns the migrations it applied. Several processes may run it at once. */
export async function migrate(
  connection: ConnectionSettings,
  from?: readonly Migration[],
): Promise<readonly Migration[]> {
  const migrations = from ?? (await loadMigrations())
  const settings = { ...connection, application_name: 'schoolgate migrate' }
  return await withOwnConnection(settings, async (client) => {
    await checkServerVersion(client)
    const applied: Migration[] = []
    for (;;) {
      const next = await applyNext(client, migrations)
      if (next === undefined) return applied
      applied.push(next)
    }
  })
}

/**
 * Applies one migration in one transaction. The lock belongs to the transaction: a lock of the session would
 * stay in the connection of a pooler, and the next process would wait for it forever.
 */
async function applyNext(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<Migration | undefined> {
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await client.query(CREATE_RECORD)
    let applied = await readRecord(client)
    if (isRecordOfOldRelease(applied)) applied = await adoptOldRelease(client, migrations)
    const [next] = pendingMigrations(migrations, applied)
    if (next !== undefined) await apply(client, next)
    await client.query('commit')
    return next
  } catch (error) {
    // If the connection is gone too, report the first error.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Whether all migrations of this build are applied; the readiness check asks for it. */
export async function isMigrated(
  query: (sql: string, values: unknown[]) => Promise<{ rows: readonly unknown[] }>,
  migrations: readonly Migration[],
): Promise<boolean> {
  const newest = migrations.at(-1)
  // The digest too: the migrations of 0.1.0 have other files under the same numbers.
  const { rows } = await query('select from schema_migrations where number = $1 and digest = $2', [
    newest?.number,
    newest?.digest,
  ])
  return rows.length === 1
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query(migration.sql)
    await recordMigration(client, migration)
  } catch (cause) {
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
