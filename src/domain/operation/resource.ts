import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import { notFound } from './refusal.ts'

/**
 * Who looks: the origin of the school, and for the few rows that not every operator sees, the
 * person and their token.
 */
type Viewer = Pick<Actor, 'origin'> & Partial<Pick<Actor, 'userId' | 'scopes' | 'clientId'>>

type Row = Record<string, unknown>

/** A kind of object as operations show it. */
export interface Resource<S extends z.ZodObject = z.ZodObject> {
  /** The value of the `object` member, and what refusals call it. */
  readonly object: string
  readonly schema: S
  /**
   * The path of an object in the REST API, with `{id}` for its id; absent if the API does not offer
   * it.
   */
  readonly restPath?: string | undefined
  /**
   * Selects this school's rows, with columns named as in the schema. Filters and sorting call the
   * result `r`. A column whose name begins with `filter_` is not sent.
   */
  rows(db: SchoolDb, caller: Viewer): RawBuilder<unknown>
  /** What SQL cannot do for a row: words that are made of its values, also of `filter_` columns. */
  readonly finish?: (row: Row) => Row
  /** The column that ids in paths are compared with. */
  readonly key?: string
  /** Related objects that a caller may ask to include. */
  readonly expansions?: { readonly [N in ExpansionName<S>]?: Expansion }
}

/** An optional member: a related object, included only if a caller asks for it. */
export type ExpansionName<S extends z.ZodObject> = string &
  { [N in keyof z.output<S>]-?: undefined extends z.output<S>[N] ? N : never }[keyof z.output<S>]

export interface Expansion {
  /** Needed in addition to the scopes of the operation. */
  readonly scopes: readonly string[]
  /** The member that holds the id of the related object. */
  readonly by: string
  load(
    db: SchoolDb,
    caller: Pick<Actor, 'origin'>,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, unknown>>
}

export async function loadObject<S extends z.ZodObject>(
  db: SchoolDb,
  caller: Pick<Actor, 'origin'>,
  resource: Resource<S>,
  id: string,
): Promise<z.output<S>> {
  const [found] = await selectObjects(db, caller, resource, sql`r.${keyOf(resource)} = ${id}`)
  if (found === undefined) throw notFound(resource.object)
  return found
}

/** Loads related objects by id; ids of other schools find nothing. */
export function expansionOf(resource: Resource, by: string, scopes: readonly string[]): Expansion {
  return {
    scopes,
    by,
    async load(db, caller, ids) {
      const found = await selectObjects(db, caller, resource, sql`r.id = any(${ids}::uuid[])`)
      return new Map(found.map((object) => [String(object.id), object]))
    },
  }
}

export async function selectObjects<S extends z.ZodObject>(
  db: SchoolDb,
  caller: Pick<Actor, 'origin'>,
  resource: Resource<S>,
  rest: RawBuilder<unknown>,
): Promise<z.output<S>[]> {
  const { rows } = await db.run(
    sql<Row>`select r.* from (${resource.rows(db, caller)}) r where ${rest}`,
  )
  return rows.map((row) => wireObject(resource, row))
}

/** A row as it is sent: its kind first, and times as text in UTC. */
export function wireObject<S extends z.ZodObject>(resource: Resource<S>, row: Row): z.output<S> {
  const object: Row = { object: resource.object }
  const finished = resource.finish?.(row) ?? row
  for (const name in finished)
    if (!name.startsWith('filter_')) object[name] = wireValue(finished[name])
  return object as z.output<S>
}

export function wireValue(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value
}

/** Adds the related objects that the caller asked for; one that does not exist becomes null. */
export async function expandObjects(
  db: SchoolDb,
  caller: Pick<Actor, 'origin'>,
  resource: Resource,
  objects: readonly Row[],
  names: readonly string[] = [],
): Promise<void> {
  for (const name of names) {
    const expansion = resource.expansions?.[name]
    if (expansion === undefined) continue
    const ids = objects.map((object) => object[expansion.by]).filter((id) => typeof id === 'string')
    const related = await expansion.load(db, caller, [...new Set(ids)])
    for (const object of objects) object[name] = related.get(String(object[expansion.by])) ?? null
  }
}

export function keyOf(resource: Resource): RawBuilder<unknown> {
  return sql.ref(resource.key ?? 'id')
}

function expandField<N extends string>(names: readonly N[]) {
  return z
    .array(z.enum(names))
    .max(10)
    .optional()
    .meta({ description: 'Related objects to include; each also needs its read scope.' })
}

/** The input member `expand`, for resources that have expansions. */
export type ExpandShape<S extends z.ZodObject> = [ExpansionName<S>] extends [never]
  ? Record<never, never>
  : { readonly expand: ReturnType<typeof expandField<ExpansionName<S>>> }

export function expandFields<S extends z.ZodObject>(resource: Resource<S>): ExpandShape<S> {
  const names = Object.keys(resource.expansions ?? {})
  return (names.length === 0 ? {} : { expand: expandField(names) }) as ExpandShape<S>
}

export function expansionScopes(
  { expansions }: Resource,
  names: readonly string[] = [],
): readonly string[] {
  return names.flatMap((name) => expansions?.[name]?.scopes ?? [])
}
