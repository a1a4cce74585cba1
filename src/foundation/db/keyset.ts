import { type RawBuilder, sql } from 'kysely'

/** Where a row stands in a list: its time, and its id among rows of the same millisecond. */
export interface KeysetKey {
  readonly at: Date
  readonly id: string
}

export interface Keyed {
  readonly key: KeysetKey
}

/** A stretch of a list that runs from the newest row to the oldest, both ends left out. */
export interface KeysetRange {
  readonly after?: KeysetKey | undefined
  readonly before?: KeysetKey | undefined
  readonly limit: number
  /** Count from the old end of the stretch; the rows still come newest first. */
  readonly fromEnd: boolean
}

const LOWEST_ID = '00000000-0000-0000-0000-000000000000'
const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * The stretch as a condition. Rows that come or go between two pages move nobody else's page, which
 * an offset cannot promise. Open ends are infinite bounds, so that each list has one text per
 * direction and PostgreSQL one plan for it.
 */
export function inRange(time: string, id: string, range: KeysetRange): RawBuilder<boolean> {
  const { after, before } = range
  const key = sql`(${sql.ref(time)}, ${sql.ref(id)})`
  return sql<boolean>`
    ${key} < (${after?.at ?? 'infinity'}::timestamptz, ${after?.id ?? HIGHEST_ID}::uuid)
    and ${key} > (${before?.at ?? '-infinity'}::timestamptz, ${before?.id ?? LOWEST_ID}::uuid)`
}

/** The order and the limit that go with `inRange`. */
export function rangeOrder(time: string, id: string, range: KeysetRange): RawBuilder<unknown> {
  const direction = range.fromEnd ? sql`asc` : sql`desc`
  return sql`
    order by ${sql.ref(time)} ${direction}, ${sql.ref(id)} ${direction} limit ${range.limit}`
}

export function newestFirst<R>(rows: R[], range: KeysetRange): R[] {
  return range.fromEnd ? rows.reverse() : rows
}
