import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { time } from './fields.ts'
import type { Sorting } from './list-page.ts'
import type { Found } from './search-related.ts'

export interface Filter<S extends z.ZodType = z.ZodType> {
  readonly schema: z.ZodOptional<S>
  /** The SQL condition; the row is called `r`. */
  where(
    value: z.output<S>,
    db: SchoolDb,
    isBeyond: IsBeyond,
  ): RawBuilder<unknown> | Promise<Condition>
  /**
   * A column by which the rows are sorted instead, in the direction that was asked for: the one in
   * whose order an index has the rows of this filter. In another order, all that do not match may
   * have to be read before the first that does.
   */
  sortedBy?(value: z.output<S>): string | undefined
  /** The list is in the order of its keys if this filter is used; see `keyFilter`. */
  readonly isByKey?: true
}

/** Whether a key comes after the page before, in a list in the order of its keys. */
export type IsBeyond = (key: RawBuilder<unknown>) => RawBuilder<unknown>

/** The conditions of a list on its row `r`. */
export interface Condition {
  readonly sql: RawBuilder<unknown>
  /** A search that so many rows match that counting them would take long. */
  readonly isBroad: boolean
  /** Ids of all that match, if they are known and may be far from the beginning of the list. */
  readonly found?: readonly Found[] | undefined
}

export type Filters = Readonly<Record<string, Filter>>

export function filter<S extends z.ZodType>(
  schema: S,
  where: (value: z.output<S>, db: SchoolDb) => RawBuilder<unknown>,
): Filter<S> {
  return { schema: schema.optional(), where }
}

/**
 * Rows whose key is in another table, which has an index in the order of these keys. The condition
 * says there, too, where a page begins: PostgreSQL does not carry it over, and would read all that
 * come before.
 */
export function keyFilter<S extends z.ZodType>(
  schema: S,
  where: (value: z.output<S>, db: SchoolDb, isBeyond: IsBeyond) => RawBuilder<unknown>,
): Filter<S> {
  return { schema: schema.optional(), where, isByKey: true }
}

type TimeFilters<N extends string> = {
  readonly [K in `${N}_after` | `${N}_before`]: Filter<typeof time>
}

/** `created_after` and `created_before` of a column `created_at`; the first bound is inclusive. */
export function timeFilters<N extends string>(column: `${N}_at`): TimeFilters<N> {
  const name = column.slice(0, -'_at'.length)
  const filters: Record<string, Filter<typeof time>> = {
    [`${name}_after`]: filter(time, (value) => sql`r.${sql.ref(column)} >= ${value}::timestamptz`),
    [`${name}_before`]: filter(time, (value) => sql`r.${sql.ref(column)} < ${value}::timestamptz`),
  }
  return filters as TimeFilters<N>
}

/** A list within parents has a filter for the id of each. */
export function parentFilters(within: z.ZodRawShape): Filters {
  const filters = Object.entries(within).map(([name, schema]): [string, Filter] => [
    name,
    filter(schema as z.ZodType, (value) => sql`r.${sql.ref(name)} = ${value}`),
  ])
  return Object.fromEntries(filters)
}

interface PageConditions {
  readonly among?: (found: readonly Found[]) => RawBuilder<unknown>
  readonly isBeyond?: IsBeyond | undefined
}

/** The conditions of all filters that the input uses. */
export async function filterCondition(
  filters: Filters,
  db: SchoolDb,
  asked: Readonly<Record<string, unknown>>,
  { among, isBeyond = () => sql`true` }: PageConditions = {},
): Promise<Condition> {
  const conditions: RawBuilder<unknown>[] = []
  let isBroad = false
  for (const [name, { where }] of Object.entries(filters)) {
    if (asked[name] === undefined) continue
    const condition = await where(asked[name], db, isBeyond)
    if (!('isBroad' in condition)) {
      conditions.push(condition)
      continue
    }
    isBroad ||= condition.isBroad
    const { found } = condition
    conditions.push(found === undefined || among === undefined ? condition.sql : among(found))
  }
  return { sql: sql.join([...conditions, sql`true`], sql` and `), isBroad }
}

/**
 * The order of a page: another one than what was asked for, if a filter that is used has its rows
 * in it.
 */
export function sortingFor(
  sorting: Sorting,
  filters: Filters,
  asked: Readonly<Record<string, unknown>>,
): Sorting {
  for (const [name, { sortedBy, isByKey }] of Object.entries(filters)) {
    const value = asked[name]
    if (value === undefined) continue
    if (isByKey) return { ...sorting, list: `${sorting.list} key`, column: undefined }
    const column = sortedBy?.(value)
    if (column !== undefined) return { ...sorting, list: `${sorting.list} ${column}`, column }
  }
  return sorting
}
