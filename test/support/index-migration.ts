import type pg from 'pg'
import { expect } from 'vitest'
import {
  indexesOfFile,
  loadMigrations,
  type Migration,
} from '../../src/foundation/db/migration/migrations.ts'
import { eventually } from './eventually.ts'

export const INDEX = 'users_by_test'
export const INDEX_SQL = `create index concurrently if not exists ${INDEX} on users (name, created_at);\n`

/**
 * The migrations of this build and one more, which builds an index on `users` while servers run.
 */
export async function withIndexMigration(
  kind: 'background' | 'awaited',
  sql = INDEX_SQL,
): Promise<{ readonly all: readonly Migration[]; readonly next: Migration }> {
  const ours = await loadMigrations()
  const name = `9999-users-by-test.${kind}.sql`
  const next = {
    number: ours.length + 1,
    name,
    sql,
    digest: 'digest of the index',
    indexes: indexesOfFile(name, sql),
  }
  return { all: [...ours, next], next }
}

/** A build of an index on `users` waits until this transaction ends, and stays in that phase. */
export async function holdBuilds(client: pg.Client): Promise<void> {
  await client.query('begin; lock table users in row exclusive mode')
}

/** PostgreSQL's own view of the index: absent, unfinished or built. */
export async function indexState(client: pg.Client): Promise<boolean | undefined> {
  const { rows } = await client.query<{ indisvalid: boolean }>(
    'select indisvalid from pg_index where indexrelid = to_regclass($1)',
    [INDEX],
  )
  return rows[0]?.indisvalid
}

/**
 * Waits until PostgreSQL builds the index on `users` and is held up. An index on another table is
 * in the same phase for a moment.
 */
export async function buildHeld(client: pg.Client): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await client.query<{ phase: string }>(
        `select phase from pg_stat_progress_create_index
         where datname = current_database() and relid = to_regclass('users')`,
      )
      return rows.map(({ phase }) => phase)
    }, eventually)
    .toEqual(['waiting for writers before build'])
}

/** Connections of processes that build. */
export async function builders(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select application_name as name from pg_stat_activity
     where datname = current_database() and application_name like 'schoolgate index%'`,
  )
  return rows.map(({ name }) => name)
}
