import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { sha256 } from '../crypto/digest.ts'

const MIGRATIONS = new URL('../../../migrations/', import.meta.url)
const FILE_NAME = /^(\d{4})-([a-z0-9-]+)\.sql$/

/** Any number; all our processes must agree on it. */
const MIGRATION_LOCK = 7_346_501

export const OLDEST_POSTGRES_MAJOR = 15

export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
  readonly digest: string
}

/** The database is not one we can run on: what is wrong and what to do about it. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

export async function loadMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(MIGRATIONS)).filter((name) => FILE_NAME.test(name)).sort()
  return await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, MIGRATIONS), 'utf8')
      return { number: Number(name.slice(0, 4)), name, sql, digest: sha256(sql).toString('hex') }
    }),
  )
}

/** Brings the database up to date and returns what was applied; safe to run from many processes. */
export async function migrate(connection: pg.ClientConfig): Promise<readonly Migration[]> {
  const migrations = await loadMigrations()
  const client = new pg.Client({ ...connection, application_name: 'schoolgate migrate' })
  await client.connect()
  try {
    await checkServerVersion(client)
    const applied: Migration[] = []
    for (;;) {
      const next = await applyNext(client, migrations)
      if (next === undefined) return applied
      applied.push(next)
    }
  } finally {
    await client.end()
  }
}

/**
 * One migration in one transaction, which also holds the lock: a lock of the session would stay behind
 * in a pooler's connection, and whoever migrates next would wait for it without end.
 */
async function applyNext(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<Migration | undefined> {
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await client.query(
      `create table if not exists schema_migrations (
         number integer primary key,
         name text not null,
         digest text not null,
         applied_at timestamptz(3) not null default now())`,
    )
    const [next] = pendingMigrations(migrations, await appliedMigrations(client))
    if (next !== undefined) await apply(client, next)
    await client.query('commit')
    return next
  } catch (error) {
    // If there is nobody left to tell, what happened first is what to tell of.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Whether every migration of this build is applied; what readiness asks. */
export async function isMigrated(
  query: (sql: string) => Promise<{ rows: readonly unknown[] }>,
  migrations: readonly Migration[],
): Promise<boolean> {
  const { rows } = await query('select max(number) as number from schema_migrations')
  const newest = (rows[0] as { number: number | null } | undefined)?.number ?? 0
  return newest >= (migrations.at(-1)?.number ?? 0)
}

interface AppliedMigration {
  readonly number: number
  readonly name: string
  readonly digest: string
}

async function appliedMigrations(client: pg.Client): Promise<readonly AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    'select number, name, digest from schema_migrations order by number',
  )
  return rows
}

export function pendingMigrations(
  ours: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const byNumber = new Map(ours.map((migration) => [migration.number, migration]))
  for (const row of applied) {
    const known = byNumber.get(row.number)
    if (known === undefined && row.number <= (ours.at(-1)?.number ?? 0)) {
      throw new MigrationError(
        `The database has migration ${row.name}, which this build of Schoolgate does not know. ` +
          'Run the build that made it, or restore a backup.',
      )
    }
    if (known !== undefined && known.digest !== row.digest) {
      throw new MigrationError(
        `Migration ${row.name} was changed after it was applied to this database. ` +
          'Applied migrations are never edited: restore the file and add a new one.',
      )
    }
  }
  const done = new Set(applied.map((row) => row.number))
  return ours.filter((migration) => !done.has(migration.number))
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  const { number, name, digest } = migration
  try {
    await client.query(migration.sql)
    await client.query('insert into schema_migrations (number, name, digest) values ($1, $2, $3)', [
      number,
      name,
      digest,
    ])
  } catch (cause) {
    throw new MigrationError(
      `Migration ${name} failed and was rolled back: ${(cause as Error).message}`,
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

/** Refuses a PostgreSQL that our statements were never run on, before anything is changed in it. */
export function checkPostgresVersion(number: number, version: string): void {
  if (number >= OLDEST_POSTGRES_MAJOR * 10_000) return
  throw new MigrationError(
    `The database is PostgreSQL ${version}; Schoolgate needs ${OLDEST_POSTGRES_MAJOR} or newer. ` +
      'Upgrade the server or point DATABASE_URL elsewhere.',
  )
}
