import { type RawBuilder, sql } from 'kysely'
import { UUID } from '../../foundation/protocol/uuid.ts'
import { invalid } from './refusal.ts'

/** How values of a sorted column are compared; `text` by code point, whatever the database's locale. */
export type SortType = 'time' | 'text' | 'number'

export interface Sorting {
  /** `title`, or `-title` for descending: as callers write it. */
  readonly name: string
  readonly column: string
  readonly type: SortType
  readonly descending: boolean
}

const CASTS = {
  time: sql`timestamptz`,
  text: sql`text`,
  number: sql`bigint`,
} as const satisfies Record<SortType, RawBuilder<unknown>>

/** Where a page ended. Rows that come and go in between move nobody else's page. */
export function cursorOf(sorting: Sorting, key: string, row: Record<string, unknown>): string {
  const place = [sorting.name, row[sorting.column], row[key]]
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** The rows after a cursor, as a condition on `r`. A cursor of another order is refused. */
export function afterCursor(
  sorting: Sorting,
  key: RawBuilder<unknown>,
  cursor: string | undefined,
): RawBuilder<unknown> {
  if (cursor === undefined) return sql`true`
  const [value, id] = parseCursor(sorting, cursor)
  const direction = sorting.descending ? sql`<` : sql`>`
  return sql`(${sortedBy(sorting)}, r.${key}) ${direction} (${value}::${CASTS[sorting.type]}, ${id}::uuid)`
}

export function inOrder(sorting: Sorting, key: RawBuilder<unknown>): RawBuilder<unknown> {
  const direction = sorting.descending ? sql`desc` : sql`asc`
  return sql`order by ${sortedBy(sorting)} ${direction}, r.${key} ${direction}`
}

function sortedBy({ column, type }: Sorting): RawBuilder<unknown> {
  const reference = sql`r.${sql.ref(column)}`
  return type === 'text' ? sql`${reference} collate "C"` : reference
}

const READS: Readonly<Record<SortType, (value: unknown) => boolean>> = {
  time: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  text: (value) => typeof value === 'string' && !value.includes('\u0000'),
  number: (value) => Number.isSafeInteger(value),
}

function parseCursor(sorting: Sorting, cursor: string): readonly [unknown, string] {
  const wrong = () =>
    invalid('after', 'invalid_cursor', 'Use the value of next from a page in the same order.')
  let place: unknown
  try {
    place = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw wrong()
  }
  if (!Array.isArray(place) || place.length !== 3) throw wrong()
  const [name, value, id] = place as unknown[]
  if (name !== sorting.name || !READS[sorting.type](value)) throw wrong()
  if (typeof id !== 'string' || !UUID.test(id)) throw wrong()
  return [value, id]
}
