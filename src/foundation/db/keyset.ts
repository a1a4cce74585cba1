import { type RawBuilder, sql } from 'kysely'
import { encodeCursor, parseCursor } from './cursor.ts'

/** A row's place in a list: its time, and its id among rows of the same millisecond. */
export interface KeysetKey {
  readonly at: Date
  readonly id: string
}

export interface Keyed {
  readonly key: KeysetKey
}

/** A part of a list that runs from the newest row to the oldest, without the rows of both ends. */
export interface KeysetRange {
  readonly after?: KeysetKey | undefined
  readonly before?: KeysetKey | undefined
  readonly limit: number
  /** Take the oldest rows of the part; they still come newest first. */
  readonly fromEnd: boolean
}

const LOWEST_ID = '00000000-0000-0000-0000-000000000000'
const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export function encodeKey(list: string, { at, id }: KeysetKey): string {
  return encodeCursor(list, { value: at, id })
}

/** Undefined if the cursor is not one of this list. */
export function parseKey(list: string, cursor: string): KeysetKey | undefined {
  const place = parseCursor(list, 'time', cursor)
  return place && { at: place.value, id: place.id }
}

/**
 * The range as a condition. Unlike an offset, it gives the same rows if others are added or removed
 * between two pages. Open ends are infinite bounds, so that each list has one SQL text per direction
 * and PostgreSQL one plan for it.
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
