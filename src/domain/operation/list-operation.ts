import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { containsText } from '../../foundation/db/contains-words.ts'
import type { CursorType } from '../../foundation/db/cursor.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import type { Operation, OperationExample, ReadOperation } from '../operation.ts'
import { shownPeople } from '../people/shown-person.ts'
import { afterCursor, cursorOf, orderBy, type Sorting } from './cursor.ts'
import { type ExpandShape, expandFields, expansionScopes } from './expand.ts'
import { line, time } from './fields.ts'
import { type Page, type PageFields, pageFields, pageOf, type SortName } from './list-page.ts'
import { expandObjects, keyOf, type Resource, selectObjects } from './resource.ts'

export interface Filter<S extends z.ZodType = z.ZodType> {
  readonly schema: z.ZodOptional<S>
  /** The SQL condition; the row is called `r`. */
  where(value: z.output<S>, at: SchoolDb): RawBuilder<unknown>
}

type Filters = Readonly<Record<string, Filter>>

export function filter<S extends z.ZodType>(
  schema: S,
  where: (value: z.output<S>, at: SchoolDb) => RawBuilder<unknown>,
): Filter<S> {
  return { schema: schema.optional(), where }
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

const searchText = line(100)

/** A search for text inside any of these columns, in upper or lower case. */
export function searchIn(...columns: readonly string[]): Filter<typeof searchText> {
  return filter(searchText, (value) => anyOf(columns.map((column) => found(column, value))))
}

/** The same, and a row is also found by the name or the email of its person. */
export function searchWithPerson(
  person: string,
  ...columns: readonly string[]
): Filter<typeof searchText> {
  return filter(searchText, (value, at) =>
    anyOf([
      ...columns.map((column) => found(column, value)),
      sql`exists (select from ${shownPeople(at)} u where u.id = r.${sql.ref(person)}
            and (${containsText('u.name', value)} or ${containsText('u.email', value)}))`,
    ]),
  )
}

function found(column: string, value: string): RawBuilder<unknown> {
  return containsText(`r.${column}`, value)
}

function anyOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql`(${sql.join(conditions, sql` or `)})`
}

interface ListDetails<
  S extends z.ZodObject,
  W extends z.ZodRawShape,
  F extends Filters,
  K extends string,
> {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly scopes: readonly string[]
  readonly judgesScopes?: true
  readonly of: Resource<S>
  /** Ids of the parents whose objects are listed, each a column of the rows. */
  readonly within?: W
  /** Refuses a parent that does not exist: an empty list would hide the mistake. */
  checkParent?(at: SchoolDb, caller: Actor, input: z.output<z.ZodObject<W>>): Promise<unknown>
  readonly filters?: F
  /** Columns that rows can be sorted by; none may be null. */
  readonly sorts: Readonly<Record<K, CursorType>>
  readonly defaultSort: NoInfer<SortName<K>>
  readonly examples?: readonly OperationExample[]
}

type FilterShape<F extends Filters> = { readonly [N in keyof F]: F[N]['schema'] }

type ListInput<
  S extends z.ZodObject,
  W extends z.ZodRawShape,
  F extends Filters,
  K extends string,
> = z.ZodObject<W & FilterShape<F> & PageFields<K> & ExpandShape<S>, z.core.$strict>

/** A list and its filters, which an export takes too. */
export interface ListOperation<
  I extends z.ZodObject = z.ZodObject,
  S extends z.ZodObject = z.ZodObject,
> extends ReadOperation<I, Page<S>> {
  readonly filters: Filters
  /** The value of `next` for a page of this input that ends with this object. */
  cursorAfter(input: z.output<I>, object: Readonly<Record<string, unknown>>): string
}

export function isListOperation(operation: Operation): operation is ListOperation {
  return 'cursorAfter' in operation
}

/** A list in pages. All lists have the same page parameters and the same shape. */
export function listOperation<
  S extends z.ZodObject,
  K extends string,
  W extends z.ZodRawShape = Record<never, never>,
  F extends Filters = Record<never, never>,
>(details: ListDetails<S, W, F, K>): ListOperation<ListInput<S, W, F, K>, S> {
  const { of: resource, within = {} } = details
  const filters: Filters = details.filters ?? {}
  const sortings = sortingsOf(details.name, details.sorts)
  const input = z.strictObject({
    ...within,
    ...Object.fromEntries(Object.entries(filters).map(([name, { schema }]) => [name, schema])),
    ...pageFields([...sortings.keys()], details.defaultSort),
    ...expandFields(resource),
  }) as unknown as ListInput<S, W, F, K>
  const allFilters = { ...parentFilters(within), ...filters }
  const sortingOf = (asked: unknown): Sorting => sortings.get((asked as PageInput).sort) as Sorting
  const cursorAfter = (asked: unknown, object: Readonly<Record<string, unknown>>): string =>
    cursorOf(sortingOf(asked), resource.key ?? 'id', object)

  return {
    name: details.name,
    title: details.title,
    summary: details.summary,
    scopes: details.scopes,
    judgesScopes: details.judgesScopes,
    kind: 'read',
    input,
    output: pageOf(resource.schema),
    filters: allFilters,
    cursorAfter,
    // Both may look at every row of the school.
    isHeavy: (asked) => {
      const { search, include_total } = asked as PageInput
      return search !== undefined || include_total === true
    },
    examples: details.examples ?? [{ title: 'The first two', input: { limit: 2 } }],
    extraScopes: (asked) => expansionScopes(resource, (asked as PageInput).expand),
    async run(at, caller, checked) {
      await details.checkParent?.(at, caller, checked as z.output<z.ZodObject<W>>)
      const asked = checked as PageInput
      const sorting = sortingOf(asked)
      const key = keyOf(resource)
      const wanted = filterCondition(allFilters, at, asked)
      const found = await selectObjects(
        at,
        caller,
        resource,
        sql`${wanted} and ${afterCursor(sorting, key, asked.after)}
          ${orderBy(sorting, key)} limit ${asked.limit + 1}`,
      )
      const data = found.slice(0, asked.limit)
      const last = data.at(-1)
      const has_more = found.length > asked.limit
      const next = has_more && last !== undefined ? cursorAfter(asked, last) : null
      await expandObjects(at, caller, resource, data, asked.expand)
      const page = { object: 'list' as const, data, has_more, next }
      if (asked.include_total !== true) return page
      return { ...page, total: await countObjects(at, caller, resource, wanted) }
    },
  }
}

/** The members that every list's input has. TypeScript cannot read them from a generic shape. */
type PageInput = z.output<z.ZodObject<PageFields<string>>> & {
  readonly expand?: readonly string[] | undefined
  readonly search?: unknown
}

function parentFilters(within: z.ZodRawShape): Filters {
  const filters = Object.entries(within).map(([name, schema]): [string, Filter] => [
    name,
    filter(schema as z.ZodType, (value) => sql`r.${sql.ref(name)} = ${value}`),
  ])
  return Object.fromEntries(filters)
}

/** The conditions of all filters that the input uses. */
export function filterCondition(
  filters: Filters,
  at: SchoolDb,
  asked: Readonly<Record<string, unknown>>,
): RawBuilder<unknown> {
  const conditions = Object.entries(filters)
    .filter(([name]) => asked[name] !== undefined)
    .map(([name, { where }]) => where(asked[name], at))
  return sql.join([...conditions, sql`true`], sql` and `)
}

function sortingsOf(
  list: string,
  sorts: Readonly<Record<string, CursorType>>,
): ReadonlyMap<string, Sorting> {
  const sortings = Object.entries(sorts).flatMap(([column, type]): Sorting[] => [
    { list: `${list} ${column}`, name: column, column, type, descending: false },
    { list: `${list} -${column}`, name: `-${column}`, column, type, descending: true },
  ])
  return new Map(sortings.map((sorting) => [sorting.name, sorting]))
}

async function countObjects(
  at: SchoolDb,
  caller: Actor,
  resource: Resource,
  wanted: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await at.run(sql<{ total: number }>`
    select count(*) as total from (${resource.rows(at, caller)}) r where ${wanted}`)
  return rows[0]?.total ?? 0
}
