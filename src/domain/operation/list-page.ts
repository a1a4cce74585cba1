import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type CursorType, encodeCursor, parseCursor } from '../../foundation/db/keyset.ts'
import { count } from './fields.ts'
import { invalid } from './refusal.ts'

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/**
 * How far a page counts. What a person asks of a long list is answered by "more than a thousand".
 */
export const MOST_SHOWN = 1000
/** One more, so that exactly a thousand can be told from more. */
export const COUNTED = MOST_SHOWN + 1

/** At most `COUNTED`, which means more than `MOST_SHOWN`; null if counting would take long. */
export const countOf = z.strictObject({ total: count.nullable() })

/** `title`, or `-title` for descending. */
export type SortName<K extends string> = K | `-${K}`

/** The members that the input of every list has. */
export type PageFields<K extends string> = ReturnType<typeof pageFields<K>>

export function pageFields<K extends string>(
  sorts: readonly SortName<K>[],
  defaultSort: SortName<K>,
) {
  return {
    limit: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
    after: z
      .string()
      .max(2000)
      .optional()
      .meta({ description: 'The value of `next` from the page before.' }),
    // TypeScript does not see that defaultSort is a value of this enum.
    sort: z.enum(sorts).default(defaultSort as never),
    include_total: z
      .boolean()
      .optional()
      .meta({ description: `Count the objects that match the filters, to ${COUNTED}.` }),
  }
}

/** The answer of every list. */
export type Page<S extends z.ZodObject> = ReturnType<typeof pageOf<S>>

export function pageOf<S extends z.ZodObject>(schema: S) {
  return z
    .strictObject({
      object: z.literal('list'),
      data: z.array(schema),
      has_more: z.boolean(),
      next: z
        .string()
        .nullable()
        .meta({ description: 'Pass it as `after` to get the next page; null at the end.' }),
      total: count
        .max(COUNTED)
        .nullable()
        .optional()
        .meta({
          description: `${COUNTED} means more than ${MOST_SHOWN}; null if counting the matches of a search would take long.`,
        }),
    })
    .meta({ id: `${schema.meta()?.id}List` })
}

/** How many rows `from …` has, counted to one more than `most`. */
export function cappedCount(from: RawBuilder<unknown>, most = MOST_SHOWN): RawBuilder<number> {
  return sql<number>`(select count(*) from (select ${from} limit ${sql.lit(most + 1)}) counted)`
}

export function cappedCountField(most = MOST_SHOWN, meaning?: string) {
  const limit = `Counted to ${most + 1}, which means more than ${most}.`
  const description = meaning === undefined ? limit : `${meaning} ${limit}`
  return count.max(most + 1).meta({ description })
}

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

/**
 * The position of a page's last row. Rows that are added or removed before it do not change the
 * next page.
 */
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

/**
 * The condition on the key alone, which may be that of another table; true if rows are in another
 * order.
 */
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
