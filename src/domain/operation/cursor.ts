import { type RawBuilder, sql } from 'kysely'
import { type CursorType, encodeCursor, parseCursor } from '../../foundation/db/cursor.ts'
import { invalid } from './refusal.ts'

export interface Sorting {
  /** The name of the list and its order, which is part of every cursor. */
  readonly list: string
  /** As callers write it: `title`, or `-title` for descending. */
  readonly name: string
  readonly column: string
  readonly type: CursorType
  readonly descending: boolean
}

const CASTS = {
  time: sql`timestamptz`,
  text: sql`text`,
  number: sql`bigint`,
} as const satisfies Record<CursorType, RawBuilder<unknown>>

/** The position of a page's last row. Rows that are added or removed before it do not change the next page. */
export function cursorOf(
  { list, column, type }: Sorting,
  key: string,
  row: Record<string, unknown>,
): string {
  const sorted = row[column] as string | number
  const value = type === 'time' ? new Date(sorted) : sorted
  return encodeCursor(list, { value, id: String(row[key]) })
}

/** The rows after a cursor, as a condition on `r`. A cursor of another list or order is refused. */
export function afterCursor(
  sorting: Sorting,
  key: RawBuilder<unknown>,
  cursor: string | undefined,
): RawBuilder<unknown> {
  if (cursor === undefined) return sql`true`
  const place = parseCursor(sorting.list, sorting.type, cursor)
  if (place === undefined) {
    const detail = 'Use the value of next from a page of the same list in the same order.'
    throw invalid('after', 'invalid_cursor', detail)
  }
  const { value, id } = place
  const direction = sorting.descending ? sql`<` : sql`>`
  return sql`(${sortedBy(sorting)}, r.${key}) ${direction} (${value}::${CASTS[sorting.type]}, ${id}::uuid)`
}

export function orderBy(sorting: Sorting, key: RawBuilder<unknown>): RawBuilder<unknown> {
  const direction = sorting.descending ? sql`desc` : sql`asc`
  return sql`order by ${sortedBy(sorting)} ${direction}, r.${key} ${direction}`
}

/** Sorts texts by code point, independent of the locale of the database. */
function sortedBy({ column, type }: Sorting): RawBuilder<unknown> {
  const reference = sql`r.${sql.ref(column)}`
  return type === 'text' ? sql`${reference} collate "C"` : reference
}
