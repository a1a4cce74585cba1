import type pg from 'pg'
import type { AppliedMigration } from './migrations.ts'

/** The table that records which migrations this database has. */
export const CREATE_RECORD = `create table if not exists schema_migrations (
  number integer primary key,
  name text not null,
  digest text not null,
  applied_at timestamptz(3) not null default now())`

export async function readRecord(client: pg.Client): Promise<readonly AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    'select number, name, digest from schema_migrations order by number',
  )
  return rows
}

/** False if it was recorded before. */
export async function recordMigration(
  client: pg.Client,
  { number, name, digest }: AppliedMigration,
): Promise<boolean> {
  // Two processes may see that the same index is built.
  const { rowCount } = await client.query(
    'insert into schema_migrations (number, name, digest) values ($1, $2, $3) on conflict do nothing',
    [number, name, digest],
  )
  return rowCount === 1
}
