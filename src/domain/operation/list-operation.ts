import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { plannedEachTime } from '../../foundation/db/contains-words.ts'
import { type CursorType, cutPage } from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import {
  type Condition,
  type Filters,
  filterCondition,
  type IsBeyond,
  parentFilters,
  sortingFor,
} from './list-filters.ts'
import {
  afterCursor,
  afterKey,
  COUNTED,
  countOf,
  cursorOf,
  orderBy,
  type Page,
  type PageFields,
  pageFields,
  pageOf,
  type Sorting,
  type SortName,
  sortingsOf,
} from './list-page.ts'
import type { Operation, OperationExample, ReadOperation } from './operation.ts'
import {
  type ExpandShape,
  expandFields,
  expandObjects,
  expansionScopes,
  keyOf,
  type Resource,
  selectObjects,
} from './resource.ts'
import { keyIsAmong } from './search-related.ts'

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
  checkParent?(db: SchoolDb, caller: Actor, input: z.output<z.ZodObject<W>>): Promise<unknown>
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
  readonly of: Resource<S>
  readonly filters: Filters
  /**
   * Counts the objects that match the same input, but not far: its cost does not grow with the
   * school.
   */
  readonly count: ReadOperation<I, typeof countOf>
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
  const sortingOf = (asked: unknown): Sorting =>
    sortingFor(sortings.get((asked as PageInput).sort) as Sorting, filters, asked as PageInput)
  const cursorAfter = (asked: unknown, object: Readonly<Record<string, unknown>>): string =>
    cursorOf(sortingOf(asked), resource.key ?? 'id', object)

  const conditionOf = async (
    db: SchoolDb,
    caller: Actor,
    asked: unknown,
    isBeyond?: IsBeyond,
  ): Promise<Condition> =>
    await filterCondition(allFilters, db, asked as PageInput, {
      among: (found) => keyIsAmong(db, caller, resource, found),
      isBeyond,
    })
  const countSome = async (db: SchoolDb, caller: Actor, asked: unknown, wanted: Condition) => {
    if (wanted.isBroad) return null
    // In the order of the page: without one, PostgreSQL may read a table from its beginning, which
    // has the rows of all schools.
    const order = orderBy(sortingOf(asked), keyOf(resource))
    const some = sql`${wanted.sql} ${order} limit ${sql.lit(COUNTED)}`
    return await countObjects(db, caller, resource, some, planning(asked))
  }

  const described = {
    name: details.name,
    title: details.title,
    summary: details.summary,
    scopes: details.scopes,
    judgesScopes: details.judgesScopes,
    kind: 'read',
    input,
    examples: details.examples ?? [{ title: 'The first two', input: { limit: 2 } }],
    extraScopes: (asked: unknown) => expansionScopes(resource, (asked as PageInput).expand),
  } as const

  return {
    ...described,
    output: pageOf(resource.schema),
    of: resource,
    filters: allFilters,
    cursorAfter,
    count: {
      ...described,
      output: countOf,
      isHeavy: (asked) => (asked as PageInput).search !== undefined,
      run: async (db, caller, checked) => ({
        total: await countSome(db, caller, checked, await conditionOf(db, caller, checked)),
      }),
    },
    // Both may look at many rows of the school.
    isHeavy: (asked) => {
      const { search, include_total } = asked as PageInput
      return search !== undefined || include_total === true
    },
    async run(db, caller, checked) {
      await details.checkParent?.(db, caller, checked as z.output<z.ZodObject<W>>)
      const asked = checked as PageInput
      const sorting = sortingOf(asked)
      const key = keyOf(resource)
      const wanted = await conditionOf(db, caller, asked, (other) =>
        afterKey(sorting, other, asked.after),
      )
      const found = await selectObjects(
        db,
        caller,
        resource,
        sql`${wanted.sql} and ${afterCursor(sorting, key, asked.after)}
          ${orderBy(sorting, key)} limit ${asked.limit + 1} ${planning(asked)}`,
      )
      const { shown: data, last } = cutPage(found, asked.limit)
      const next = last === undefined ? null : cursorAfter(asked, last)
      await expandObjects(db, caller, resource, data, asked.expand)
      const page = { object: 'list' as const, data, has_more: last !== undefined, next }
      if (asked.include_total !== true) return page
      // Searches have looked for people already; a condition that says where the page begins is not
      // one for all pages.
      const all = sorting.column === undefined ? await conditionOf(db, caller, asked) : wanted
      return { ...page, total: await countSome(db, caller, asked, all) }
    },
  }
}

/** The members that every list's input has. TypeScript cannot read them from a generic shape. */
type PageInput = z.output<z.ZodObject<PageFields<string>>> & {
  readonly expand?: readonly string[] | undefined
  readonly search?: unknown
}

function planning(asked: unknown): RawBuilder<unknown> {
  return (asked as PageInput).search === undefined ? sql`` : plannedEachTime
}

export async function countObjects(
  db: SchoolDb,
  caller: Pick<Actor, 'origin'>,
  resource: Resource,
  wanted: RawBuilder<unknown>,
  planned: RawBuilder<unknown> = sql``,
): Promise<number> {
  const { rows } = await db.run(sql<{ total: number }>`
    select count(*) as total from (
      select from (${resource.rows(db, caller)}) r where ${wanted}) counted ${planned}`)
  return rows[0]?.total ?? 0
}
