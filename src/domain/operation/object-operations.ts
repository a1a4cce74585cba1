import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb, SchoolTx, TenantTable } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import { NAMES } from '../audit/audit.ts'
import { id, ifVersion, version } from './fields.ts'
import type { OperationExample, ReadOperation, WriteOperation } from './operation.ts'
import { conflict } from './refusal.ts'
import {
  type ExpandShape,
  expandFields,
  expandObjects,
  expansionScopes,
  loadObject,
  type Resource,
} from './resource.ts'

interface Details<S extends z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly scopes: readonly string[]
  readonly judgesScopes?: true
  readonly of: Resource<S>
  readonly examples: readonly OperationExample[]
  /** Of a write. */
  readonly queuesMail?: 'maybe'
  needsProof?(input: Readonly<Record<string, unknown>>): boolean
}

type ReadInput<S extends z.ZodObject> = z.ZodObject<
  { readonly id: typeof id } & ExpandShape<S>,
  z.core.$strict
>

/** One object by its id. */
export function readOperation<S extends z.ZodObject>(
  details: Details<S>,
): ReadOperation<ReadInput<S>, S> {
  const { of: resource, ...described } = details
  return {
    ...described,
    kind: 'read',
    input: z.strictObject({ id, ...expandFields(resource) }) as unknown as ReadInput<S>,
    output: resource.schema,
    restPath: resource.restPath,
    extraScopes: (asked) => expansionScopes(resource, (asked as CommonInput).expand),
    async run(db, caller, checked) {
      const asked = checked as CommonInput
      const found = await loadObject(db, caller, resource, asked.id)
      await expandObjects(db, caller, resource, [found], asked.expand)
      return found
    },
  }
}

/** The members of every read's input. TypeScript cannot read them from a generic shape. */
interface CommonInput {
  readonly id: string
  readonly expand?: readonly string[] | undefined
}

/** Creates an object and answers with it. */
export function createOperation<S extends z.ZodObject, F extends z.ZodRawShape>(
  details: Details<S> & {
    readonly fields: F
    /** Returns the id of the new object. */
    create(
      tx: SchoolTx,
      caller: Actor,
      input: z.output<z.ZodObject<F, z.core.$strict>>,
    ): Promise<string>
  },
): WriteOperation<z.ZodObject<F, z.core.$strict>, S> {
  const { of: resource, fields, create, ...described } = details
  return {
    ...described,
    kind: 'create',
    input: z.strictObject(fields) as z.ZodObject<F, z.core.$strict>,
    output: resource.schema,
    restPath: resource.restPath,
    async run(tx, caller, input) {
      const created = await create(tx, caller, input)
      return await loadObject(tx, caller, resource, created)
    },
  }
}

/** The input of a change: the object, what to change, and the version the caller saw. */
type ChangeInput<F extends z.ZodRawShape> = z.ZodObject<
  F & { readonly id: typeof id; readonly if_version: typeof ifVersion },
  z.core.$strict
>

export type Changing<F extends z.ZodRawShape> = z.output<ChangeInput<F>>

/** Changes an object and answers with its new state. A member that is left out stays unchanged. */
export function changeOperation<S extends z.ZodObject, F extends z.ZodRawShape>(
  details: Details<S> & {
    readonly fields: F
    /**
     * For a change that must not be made twice: a form that is sent again names a version that is
     * gone.
     */
    readonly needsVersion?: true
    change(tx: SchoolTx, caller: Actor, input: Changing<F>): Promise<void>
  },
): WriteOperation<ChangeInput<F>, S> {
  const { of: resource, fields, needsVersion, change, ...described } = details
  const seen = { if_version: needsVersion ? version : ifVersion }
  return {
    ...described,
    kind: 'change',
    input: z.strictObject({ id, ...fields, ...seen }) as unknown as ChangeInput<F>,
    output: resource.schema,
    restPath: resource.restPath,
    before: (tx, caller, input) => loadObject(tx, caller, resource, (input as CommonInput).id),
    async run(tx, caller, input) {
      await change(tx, caller, input)
      return await loadObject(tx, caller, resource, (input as CommonInput).id)
    },
  }
}

type NoFields = Record<never, never>

function removed<S extends z.ZodObject>({ object, schema }: Resource<S>) {
  return z
    .strictObject({ object: z.literal(object), id, deleted: z.literal(true) })
    .meta({ id: `Deleted${schema.meta()?.id}` })
}

/** Rows that an object cannot be removed from under. */
interface Keeper {
  readonly table: TenantTable
  /** The column that holds the id of the object. */
  readonly column: string
  /** What to say if there is such a row. */
  readonly detail: string
}

/** The words of the first keeper that has a row for this object. */
async function findKeeper(
  db: SchoolDb,
  keepers: readonly Keeper[],
  id: string,
): Promise<string | undefined> {
  if (keepers.length === 0) return undefined
  const cases = keepers.map(
    ({ table, column }, place) => sql`
      when exists (
        select from ${sql.table(table)} where school_id = ${db.schoolId} and ${sql.ref(column)} = ${id})
      then ${sql.lit(place)}`,
  )
  const { rows } = await db.run(
    sql<{ place: number | null }>`select case ${sql.join(cases, sql` `)} end as place`,
  )
  return keepers[rows[0]?.place ?? -1]?.detail
}

/** Removes an object permanently and answers with its id. */
export function removeOperation<S extends z.ZodObject>(
  details: Details<S> & {
    /**
     * In the order in which they are asked. Each restricting foreign key to the table of the object
     * has an entry.
     */
    readonly keptBy?: readonly Keeper[]
    whyNot?(db: SchoolDb, caller: Actor, id: string): Promise<string | undefined>
    remove(tx: SchoolTx, caller: Actor, input: Changing<NoFields>): Promise<void>
  },
): WriteOperation<ChangeInput<NoFields>, ReturnType<typeof removed>> {
  const { of: resource, remove, keptBy = [], ...described } = details
  return {
    ...(keptBy.length === 0 ? {} : { whyNot: (db, _caller, id) => findKeeper(db, keptBy, id) }),
    ...described,
    kind: 'remove',
    input: z.strictObject({ id, if_version: ifVersion }),
    output: removed(resource),
    ...(NAMES.some((name) => name in resource.schema.shape) && {
      before: (tx: SchoolTx, caller: Actor, input: CommonInput) =>
        loadObject(tx, caller, resource, input.id),
    }),
    async run(tx, caller, input) {
      const kept = await findKeeper(tx, keptBy, input.id)
      if (kept !== undefined) throw conflict('in_use', kept)
      await remove(tx, caller, input)
      return { object: resource.object, id: input.id, deleted: true }
    },
  }
}
