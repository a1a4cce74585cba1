import { type RawBuilder, sql } from 'kysely'
import { type CursorType, encodeCursor, parseCursor } from '../../foundation/db/cursor.ts'
import { invalid } from './refusal.ts'

export interface Sorting {
  /** The name of the list and its order, which is part of every cursor. */
  readonly list: string
  /** As callers write it: `title`, or `-title` for descending. */
  readonly name: string
  /** Absent if the rows are sorted by their key alone. */
  readonly column?: string | undefined
  readonly type: CursorType
  readonly descending: boolean
}

/** Both directions of every column that a list can be sorted by, by the name that callers write. */
export function sortingsOf(
  list: string,
  sorts: Readonly<Record<string, CursorType>>,
): ReadonlyMap<string, Sorting> {
  const sortings = Object.entries(sorts).flatMap(([column, type]): Sorting[] => [
    { list: `${list} ${column}`, name: column, column, type, descending: false },
    { list: `${list} -${column}`, name: `-${column}`, column, type, descending: true },
  ])
  return new Map(sortings.map((sorting) => [sorting.name, sorting]))
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
  const id = String(row[key])
  if (column === undefined) return encodeCursor(list, { value: '', id })
  const sorted = row[column] as string | number
  const value = type === 'time' ? new Date(sorted) : sorted
  return encodeCursor(list, { value, id })
}

/** The rows after a cursor, as a condition on `r`. A cursor of another list or order is refused. */
export function afterCursor(
  sorting: Sorting,
  key: RawBuilder<unknown>,
  cursor: string | undefined,
): RawBuilder<unknown> {
  const { column, type } = sorting
  if (column === undefined) return afterKey(sorting, sql`r.${key}`, cursor)
  if (cursor === undefined) return sql`true`
  const { value, id } = placeOf(sorting, type, cursor)
  return sql`(${sortedBy(column, type)}, r.${key}) ${directionOf(sorting)} (${value}::${CASTS[type]}, ${id}::uuid)`
}

/** The same as a condition on the key alone, which may be that of another table; true if rows are not in the order of keys. */
export function afterKey(
  sorting: Sorting,
  key: RawBuilder<unknown>,
  cursor: string | undefined,
): RawBuilder<unknown> {
  if (sorting.column !== undefined || cursor === undefined) return sql`true`
  return sql`${key} ${directionOf(sorting)} ${placeOf(sorting, 'text', cursor).id}::uuid`
}

function placeOf({ list }: Sorting, type: CursorType, cursor: string) {
  const place = parseCursor(list, type, cursor)
  if (place !== undefined) return place
  const detail = 'Use the value of next from a page of the same list in the same order.'
  throw invalid('after', 'invalid_cursor', detail)
}

function directionOf({ descending }: Sorting): RawBuilder<unknown> {
  return descending ? sql`<` : sql`>`
}

export function orderBy(sorting: Sorting, key: RawBuilder<unknown>): RawBuilder<unknown> {
  const { column, type, descending } = sorting
  const direction = descending ? sql`desc` : sql`asc`
  if (column === undefined) return sql`order by r.${key} ${direction}`
  return sql`order by ${sortedBy(column, type)} ${direction}, r.${key} ${direction}`
}

/** Sorts texts by code point, independent of the locale of the database. */
function sortedBy(column: string, type: CursorType): RawBuilder<unknown> {
  const reference = sql`r.${sql.ref(column)}`
  return type === 'text' ? sql`${reference} collate "C"` : reference
}
