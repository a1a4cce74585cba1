import { sql } from 'kysely'
import type { SchoolDb, SchoolTx } from '../../../foundation/db/school-db.ts'
import { FOREIGN_KEYS, type ForeignKey, inOrder } from '../../../foundation/db/table-order.ts'
import type { FileStore } from '../../../foundation/storage/file-store.ts'

/** Rows of one statement. Each takes the rows of other tables with it that cannot be without it. */
export const REMOVED_AT_ONCE = 500

/** The audit log outlives what it names, and the jobs of a school go with their files when they expire. */
const STAY = ['audit_entries', 'jobs']

/** The tables with rows of schools, each before the tables that it references. */
export async function tablesOfSchools(at: SchoolDb): Promise<readonly string[]> {
  const { rows: tables } = await at.run(sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'school_id'
      and not a.attisdropped and c.relname <> all (${STAY}::text[])
    order by c.relname`)
  const { rows: keys } = await at.run(sql.raw<ForeignKey>(FOREIGN_KEYS))
  const names = tables.map(({ name }) => name)
  return [...inOrder(names, keys)].reverse()
}

/** Removes up to `REMOVED_AT_ONCE` rows of the school, and their files. Returns how many. */
export async function removeSomeRows(
  tx: SchoolTx,
  table: string,
  files: FileStore | undefined,
): Promise<number> {
  if (table === 'files' && files !== undefined) await removeContents(tx, files)
  const { rows } = await tx.run(sql<{ removed: number }>`
    with gone as (
      delete from ${sql.table(table)} where ctid = any (array(${someOf(table, tx.schoolId)})) returning 1)
    select count(*)::int as removed from gone`)
  return rows[0]?.removed ?? 0
}

/** The same rows each time, so that those whose content was removed are the ones that go. */
const someOf = (table: string, schoolId: string) => sql`
  select ctid from ${sql.table(table)} where school_id = ${schoolId}
  ${table === 'files' ? sql`order by id` : sql``} limit ${sql.lit(REMOVED_AT_ONCE)}`

/** Contents first: one without a row would stay for ever. */
async function removeContents(tx: SchoolTx, files: FileStore): Promise<void> {
  const { rows } = await tx.run(sql<{ storage_key: string }>`
    select storage_key from files where school_id = ${tx.schoolId}
    order by id limit ${sql.lit(REMOVED_AT_ONCE)}`)
  for (const { storage_key } of rows) await files.remove(storage_key)
}
