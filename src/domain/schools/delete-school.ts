import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import { atSchool, type SchoolDb, type SchoolTx } from '../../foundation/db/school-db.ts'
import type { Sweep } from '../../foundation/db/sweep.ts'
import type { FileStore } from '../../foundation/storage/file-store.ts'
import type { Actor } from '../actor/actor.ts'
import { recordChange } from '../audit/audit.ts'
import type { JobKind } from '../jobs/job.ts'
import { cancelAllJobs, startJob } from '../jobs/start-job.ts'
import { notFound } from '../operation/refusal.ts'

/** Where the removal of a table is. */
interface DeletionCursor {
  readonly table: string
  readonly after: Position
}

/**
 * Removes the rows and files of a deleted school. A table that is begun again goes on where it was.
 */
export const deleteSchoolJob: JobKind<object, DeletionCursor> = {
  name: 'schools.delete',
  isCleanUp: true,
  async run(job) {
    for (const table of await tablesOfSchools(job.db)) {
      const { name } = table
      let isLast = false
      while (!isLast) {
        const after = job.cursor?.table === name ? job.cursor.after : null
        await job.step(async (tx) => {
          const step = await removeSomeRows(tx, table, after, job.files)
          isLast = step.isLast
          return { cursor: { table: name, after: step.last }, done: job.done + step.removed }
        })
      }
    }
    return { rows: job.done }
  },
}

interface Names {
  readonly subdomain: string
  readonly origin: string
}

/**
 * Deletes a school for good. Nothing answers at its origin any more when this transaction commits,
 * and its names are free for another school; a job removes its rows and files. The accounts of its
 * people belong to no school and stay, and so does the audit log, for as long as it is kept.
 */
export async function deleteSchool(tx: SchoolTx, by: Actor): Promise<void> {
  const { rows } = await tx.run(sql<Names>`
    select subdomain, origin from schools where id = ${tx.schoolId} and deleted_at is null for update`)
  const [names] = rows
  if (names === undefined) throw notFound('school')
  const name = `deleted-${tx.schoolId}`
  await tx.run(sql`
    update schools set deleted_at = now(), suspended_at = null, subdomain = ${name}, origin = ${`https://${name}.invalid`}
    where id = ${tx.schoolId}`)
  // What else was to be done here would be for nothing.
  await cancelAllJobs(tx)
  await recordChange(tx, by, { action: 'school.deleted', detail: { ...names } })
  const title = `Remove what the deleted school ${names.subdomain} has left`
  await startJob(tx, by, deleteSchoolJob, { input: {}, title })
}

/**
 * Crosses schools: removes the row of a deleted school once the job that removed its other rows has
 * expired. A request that was under way when the school was deleted may have added some behind the
 * job: they go now.
 */
export const schoolSweep: Sweep = {
  name: 'schools',
  async step(db) {
    const { rows } = await sql<{ id: string }>`
      select s.id from schools s
      where s.deleted_at is not null and not exists (select from jobs j where j.school_id = s.id)
      order by s.deleted_at limit 1`.execute(db)
    const [school] = rows
    if (school === undefined) return { removed: 0, last: undefined, isDone: true }
    const isGone = await removeSchool(db, school.id)
    return { removed: isGone ? 1 : 0, last: undefined, isDone: !isGone }
  },
}

/** False if it has more rows than this step removes. */
async function removeSchool(db: Db, schoolId: string): Promise<boolean> {
  const schoolDb = atSchool(db, schoolId, { lane: 'batch' })
  for (const table of await tablesOfSchools(schoolDb)) {
    // Files were removed by the job; a server without a store must still be able to finish.
    const { isLast } = await schoolDb.transaction((tx) =>
      removeSomeRows(tx, table, null, undefined),
    )
    if (!isLast) return false
  }
  await sql`delete from schools where id = ${schoolId} and deleted_at is not null`.execute(db)
  return true
}

interface ForeignKey {
  readonly table: string
  readonly target: string
}

/** All foreign keys. */
const FOREIGN_KEYS = `
  select k.conrelid::regclass::text as table, k.confrelid::regclass::text as target
  from pg_constraint k
  where k.connamespace = 'public'::regnamespace and k.contype = 'f' and k.conparentid = 0
  order by 1, 2`

/** Puts each table after the tables that it references, as far as no circle prevents it. */
export function inOrder(names: readonly string[], keys: readonly ForeignKey[]): readonly string[] {
  const placed = new Set<string>()
  let waiting = [...names]
  const isFree = (name: string): boolean =>
    keys.every(
      ({ table, target }) =>
        table !== name || target === name || placed.has(target) || !names.includes(target),
    )
  while (waiting.length > 0) {
    const free = waiting.filter(isFree)
    // In a circle no table is free.
    for (const name of free.length > 0 ? free : waiting.slice(0, 1)) placed.add(name)
    waiting = waiting.filter((name) => !placed.has(name))
  }
  return [...placed]
}

/** Rows of one statement. Each takes the rows of other tables with it that cannot be without it. */
const REMOVED_AT_ONCE = 500

/**
 * The audit log outlives what it names, and the jobs of a school go with their files when they
 * expire.
 */
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

/**
 * The key of the last row that was removed, as texts; null at the beginning, and for a table
 * without such a key.
 */
type Position = readonly string[] | null

/** The tables with rows of schools, each before the tables that it references. */
export async function tablesOfSchools(db: SchoolDb): Promise<readonly SchoolTable[]> {
  const { rows: tables } = await db.run(sql<SchoolTable>`
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
  const { rows: keys } = await db.run(sql.raw<ForeignKey>(FOREIGN_KEYS))
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
 * Removes up to `REMOVED_AT_ONCE` rows of the school, and their files. In the order of the key,
 * behind those that were removed before: without it PostgreSQL would walk over all rows that are
 * gone already, each time.
 */
async function removeSomeRows(
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
