import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import type { OperationExample, ReadOperation } from '../operation.ts'
import { afterCursor, cursorOf, inOrder, type Sorting, type SortType } from './cursor.ts'
import { count, line, time } from './fields.ts'
import { expandObjects, keyOf, type Resource, selectObjects } from './resource.ts'
import { containing } from './wire-sql.ts'

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

export interface Filter {
  readonly schema: z.ZodType
  /** The condition on a row called `r`. */
  where(value: never, at: SchoolDb): RawBuilder<unknown>
}

export function filter<S extends z.ZodType>(
  schema: S,
  where: (value: z.output<S>, at: SchoolDb) => RawBuilder<unknown>,
): Filter {
  return { schema: schema.optional(), where }
}

/** `created_after` and `created_before` of a column `created_at`; the first bound is inclusive. */
export function timeFilters(column: `${string}_at`): Readonly<Record<string, Filter>> {
  const name = column.slice(0, -'_at'.length)
  return {
    [`${name}_after`]: filter(time, (value) => sql`r.${sql.ref(column)} >= ${value}::timestamptz`),
    [`${name}_before`]: filter(time, (value) => sql`r.${sql.ref(column)} < ${value}::timestamptz`),
  }
}

/** What a person types to find something again: part of any of these columns, in any case. */
export function searchIn(...columns: readonly string[]): Filter {
  return filter(line(100), (value) => {
    const pattern = containing(value)
    return anyOf(columns.map((column) => sql`r.${sql.ref(column)} ilike ${pattern}`))
  })
}

/** The same, where a row is also found by the name or the email of its person. */
export function searchWithPerson(person: string, ...columns: readonly string[]): Filter {
  return filter(line(100), (value) => {
    const pattern = containing(value)
    return anyOf([
      ...columns.map((column) => sql`r.${sql.ref(column)} ilike ${pattern}`),
      sql`exists (select from users u where u.id = r.${sql.ref(person)}
            and (u.name ilike ${pattern} or u.email ilike ${pattern}))`,
    ])
  })
}

function anyOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql`(${sql.join(conditions, sql` or `)})`
}

interface ListDetails<S extends z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly scopes: readonly string[]
  readonly of: Resource<S>
  /** Ids of what the list lies in, each a column of the rows. */
  readonly within?: Readonly<Record<string, z.ZodType>>
  /** Refuses a parent that does not exist: an empty list would hide the mistake. */
  checkParent?(at: SchoolDb, caller: Actor, input: Record<string, unknown>): Promise<unknown>
  readonly filters?: Readonly<Record<string, Filter>>
  /** Columns that rows can be sorted by; none may be null. */
  readonly sorts: Readonly<Record<string, SortType>>
  readonly defaultSort: string
  readonly examples?: readonly OperationExample[]
}

/** A list, with what its rows can be narrowed by: an export takes the same. */
export interface ListOperation extends ReadOperation {
  readonly filters: Readonly<Record<string, Filter>>
}

/** A list in pages: every one of them has the same parameters and the same shape. */
export function listOperation<S extends z.ZodObject>(details: ListDetails<S>): ListOperation {
  const { of: resource, filters = {}, within = {} } = details
  const sortings = sortingsOf(details.sorts)
  const expandable = Object.keys(resource.expansions ?? {})
  const input = z.strictObject({
    ...within,
    ...Object.fromEntries(Object.entries(filters).map(([name, { schema }]) => [name, schema])),
    limit: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
    after: z
      .string()
      .max(2000)
      .optional()
      .meta({ description: 'The value of `next` from the page before.' }),
    sort: z.enum([...sortings.keys()] as [string, ...string[]]).default(details.defaultSort),
    include_total: z
      .boolean()
      .optional()
      .meta({ description: 'Count all objects that the filters let through.' }),
    ...(expandable.length === 0 ? {} : { expand: expandField(expandable) }),
  })
  const output = z
    .strictObject({
      object: z.literal('list'),
      data: z.array(resource.schema),
      has_more: z.boolean(),
      next: z
        .string()
        .nullable()
        .meta({ description: 'Pass it as `after` to get the next page; null at the end.' }),
      total: count.optional(),
    })
    .meta({ id: `${resource.schema.meta()?.id}List` })

  return {
    name: details.name,
    title: details.title,
    summary: details.summary,
    scopes: details.scopes,
    kind: 'read',
    input,
    output,
    filters: { ...parents(within), ...filters },
    examples: details.examples ?? [{ title: 'The first two', input: { limit: 2 } }],
    extraScopes: (asked) => expansionScopes(resource, asked.expand),
    async run(at, caller, asked) {
      await details.checkParent?.(at, caller, asked)
      const sorting = sortings.get(String(asked.sort)) as Sorting
      const key = keyOf(resource)
      const wanted = narrowedBy({ ...parents(within), ...filters }, at, asked)
      const limit = Number(asked.limit)
      const found = await selectObjects(
        at,
        caller,
        resource,
        sql`${wanted} and ${afterCursor(sorting, key, asked.after as string | undefined)}
          ${inOrder(sorting, key)} limit ${limit + 1}`,
      )
      const data = found.slice(0, limit)
      const last = data.at(-1)
      const has_more = found.length > limit
      const next =
        has_more && last !== undefined ? cursorOf(sorting, resource.key ?? 'id', last) : null
      await expandObjects(at, caller, resource, data, namesIn(asked.expand))
      const page = { object: 'list', data, has_more, next }
      if (asked.include_total !== true) return page
      return { ...page, total: await countObjects(at, caller, resource, wanted) }
    },
  }
}

function parents(within: Readonly<Record<string, z.ZodType>>): Readonly<Record<string, Filter>> {
  const filters = Object.entries(within).map(([name, schema]): [string, Filter] => [
    name,
    filter(schema, (value) => sql`r.${sql.ref(name)} = ${value}`),
  ])
  return Object.fromEntries(filters)
}

/** The condition that the filters which were asked for make together. */
export function narrowedBy(
  filters: Readonly<Record<string, Filter>>,
  at: SchoolDb,
  asked: Readonly<Record<string, unknown>>,
): RawBuilder<unknown> {
  const conditions = Object.entries(filters)
    .filter(([name]) => asked[name] !== undefined)
    .map(([name, { where }]) => where(asked[name] as never, at))
  return sql.join([...conditions, sql`true`], sql` and `)
}

export function expandField(names: readonly string[]) {
  return z
    .array(z.enum(names as [string, ...string[]]))
    .max(10)
    .optional()
    .meta({ description: 'Related objects to put in; each needs its own read scope too.' })
}

export function expansionScopes(resource: Resource, asked: unknown): readonly string[] {
  return namesIn(asked).flatMap((name) => resource.expansions?.[name]?.scopes ?? [])
}

export function namesIn(asked: unknown): readonly string[] {
  return Array.isArray(asked) ? asked.map(String) : []
}

function sortingsOf(sorts: Readonly<Record<string, SortType>>): ReadonlyMap<string, Sorting> {
  const sortings = Object.entries(sorts).flatMap(([column, type]): Sorting[] => [
    { name: column, column, type, descending: false },
    { name: `-${column}`, column, type, descending: true },
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
