import { type RawBuilder, sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

/** What has a public page, by the first part of its path. */
const KINDS = {
  courses: dated('courses'),
  plans: undated('membership_plans'),
  products: undated('digital_products'),
  events: undated('events'),
  posts: dated('posts'),
  pages: dated('pages'),
}

export type ListedKind = keyof typeof KINDS

function dated(table: string) {
  const isPublic = sql`state = 'published' and published_at <= now()`
  return { table: sql.table(table), isPublic, changedAt: sql`greatest(updated_at, published_at)` }
}

function undated(table: string) {
  return { table: sql.table(table), isPublic: sql`state = 'published'`, changedAt: sql`updated_at` }
}

/**
 * The end of an id is random, so the rows of a school divide evenly by it. Counting a part of them
 * says how many parts are needed; places at each so many rows could be found only by reading all.
 */
const END_OF_ID = sql`right(id::text, 3) collate "C"`
const LONGEST_END = 3

/** The protocol allows ten times as many, which would not be sent within the time of a stranger. */
const MOST_IN_FILE = 5_000
/** Parts of one size differ by a few times the root of it. */
const MOST_EXPECTED = 4_000

const endsFrom = (start: string): RawBuilder<unknown> =>
  sql`${END_OF_ID} >= ${start} and ${END_OF_ID} < ${`${start}g`}`

/**
 * The kinds that have a public page, each with how many digits at the end of an id name a file of
 * it. Reads no more index entries than files may have.
 */
export async function findSitemaps(
  db: SchoolDb,
): Promise<readonly { readonly kind: ListedKind; readonly digits: number }[]> {
  const kinds = Object.entries(KINDS).map(([kind, { table, isPublic }]) => {
    const isMore = (start: string, most: number) => sql`(
      select count(*) > ${most} from (
        select from ${table} where school_id = ${db.schoolId} and state = 'published'
          and ${endsFrom(start)} limit ${most + 1}) part)`
    return sql`
      select ${sql.lit(kind)} as kind, case when not ${isMore('', MOST_IN_FILE)} then 0
        when not ${isMore('0', MOST_EXPECTED)} then 1
        when not ${isMore('00', MOST_EXPECTED)} then 2 else ${sql.lit(LONGEST_END)} end as digits
      where exists (select from ${table} where school_id = ${db.schoolId} and ${isPublic})`
  })
  const { rows } = await db.run(sql<{ kind: ListedKind; digits: number }>`
    ${sql.join(kinds, sql` union all `)}`)
  return rows
}

/** The public objects of a kind whose ids end so, in hexadecimal digits. */
export async function readSitemap(
  db: SchoolDb,
  kind: ListedKind,
  end: string,
): Promise<readonly { readonly slug: string; readonly changedAt: Date }[]> {
  const { table, isPublic, changedAt } = KINDS[kind]
  const { rows } = await db.run(sql<{ slug: string; changedAt: Date }>`
    select slug, ${changedAt} as "changedAt" from ${table}
    where school_id = ${db.schoolId} and ${isPublic} and ${endsFrom(end)}
    order by ${END_OF_ID}, id limit ${MOST_IN_FILE}`)
  return rows
}

/** The kind and the end of ids that the name of a file stands for. */
export function parseSitemap(
  name: string,
): { readonly kind: ListedKind; readonly end: string } | undefined {
  const [, kind = '', end = ''] = /^([a-z]+)(?:-([0-9a-f]{1,3}))?$/.exec(name) ?? []
  return Object.hasOwn(KINDS, kind) ? { kind: kind as ListedKind, end } : undefined
}
