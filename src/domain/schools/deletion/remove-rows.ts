import { type RawBuilder, sql } from 'kysely'
import type { SchoolDb, SchoolTx } from '../../../foundation/db/school-db.ts'
import { FOREIGN_KEYS, type ForeignKey, inOrder } from '../../../foundation/db/table-order.ts'
import type { FileStore } from '../../../foundation/storage/file-store.ts'

/** Rows of one statement. Each takes the rows of other tables with it that cannot be without it. */
const REMOVED_AT_ONCE = 500

/** The audit log outlives what it names, and the jobs of a school go with their files when they expire. */
const STAY = ['audit_entries', 'jobs']

interface KeyColumn {
  readonly name: string
  readonly type: string
}

/** A table with rows of schools. */
export interface SchoolTable {
  readonly name: string
  /** The columns of the primary key behind the school, if it begins with the school; else none. */
  readonly key: readonly KeyColumn[]
}

/** The key of the last row that was removed, as texts; null at the beginning, and for a table without such a key. */
export type Position = readonly string[] | null

/** The tables with rows of schools, each before the tables that it references. */
export async function tablesOfSchools(at: SchoolDb): Promise<readonly SchoolTable[]> {
  const { rows: tables } = await at.run(sql<SchoolTable>`
    select c.relname as name, coalesce((
        select json_agg(json_build_object('name', k.attname, 'type', format_type(k.atttypid, k.atttypmod)) order by place)
          filter (where place > 1)
        from pg_index i, unnest(i.indkey) with ordinality as part (number, place)
          join pg_attribute k on k.attnum = part.number
        where i.indrelid = c.oid and i.indisprimary and k.attrelid = c.oid and i.indkey[0] = a.attnum), '[]') as key
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'school_id'
      and not a.attisdropped and c.relname <> all (${STAY}::text[])
    order by c.relname`)
  const { rows: keys } = await at.run(sql.raw<ForeignKey>(FOREIGN_KEYS))
  const names = tables.map(({ name }) => name)
  return [...inOrder(names, keys)]
    .reverse()
    .map((name) => tables.find((table) => table.name === name) as SchoolTable)
}

export interface Removed {
  readonly removed: number
  readonly last: Position
  /** True if no row is left behind this position. */
  readonly isLast: boolean
}

/**
 * Removes up to `REMOVED_AT_ONCE` rows of the school, and their files. In the order of the key, behind those that were removed
 * before: without it PostgreSQL would walk over all rows that are gone already, each time.
 */
export async function removeSomeRows(
  tx: SchoolTx,
  { name, key }: SchoolTable,
  after: Position,
  files: FileStore | undefined,
): Promise<Removed> {
  const columns = key.map((column) => sql.ref(column.name))
  const isOrdered = key.length > 0
  const chosen = sql`
    from ${sql.table(name)} where school_id = ${tx.schoolId} and ${isBehind(key, after)}
    ${isOrdered ? sql`order by ${sql.join(columns)}` : sql``} limit ${sql.lit(REMOVED_AT_ONCE)}`
  // Contents first: one without a row would stay for ever.
  if (name === 'files' && files !== undefined) await removeContents(tx, files, chosen)
  const last = isOrdered
    ? sql`(select array[${sql.join(columns.map((column) => sql`${column}::text`))}] from doomed
           order by ${sql.join(columns.map((column) => sql`${column} desc`))} limit 1)`
    : sql`null::text[]`
  const { rows } = await tx.run(sql<{ removed: number; looked: number; last: Position }>`
    with doomed as materialized (select ${sql.join([sql`ctid as place`, ...columns])} ${chosen}),
    gone as (
      delete from ${sql.table(name)} where ctid = any (array(select place from doomed)) returning 1)
    select (select count(*) from gone)::int as removed, (select count(*) from doomed)::int as looked,
      ${last} as last`)
  const { removed = 0, looked = 0, last: reached = null } = rows[0] ?? {}
  return { removed, last: reached ?? after, isLast: looked < REMOVED_AT_ONCE }
}

function isBehind(key: readonly KeyColumn[], after: Position): RawBuilder<unknown> {
  if (after === null || key.length === 0) return sql`true`
  const columns = key.map(({ name }) => sql.ref(name))
  const values = key.map(({ type }, place) => sql`${after[place]}::${sql.raw(type)}`)
  return sql`(${sql.join(columns)}) > (${sql.join(values)})`
}

async function removeContents(
  tx: SchoolTx,
  files: FileStore,
  chosen: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await tx.run(sql<{ storage_key: string }>`select storage_key ${chosen}`)
  for (const { storage_key } of rows) await files.remove(storage_key)
}
