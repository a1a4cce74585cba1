import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb, SchoolTx, TenantTable } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import { NAMES } from '../audit/audit.ts'
import { type ChangeFields, changeFields, id, ifVersion, version } from './fields.ts'
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
import { checkChange, checkRow, type RowRules } from './row-rules.ts'
import { checkVersion, writing } from './writing.ts'

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

type Columns = Readonly<Record<string, unknown>>

/** The object that a write names, and the version that its author saw. */
interface Named {
  readonly id: string
  readonly if_version?: number | undefined
}

/** What the operations of one kind of object have in common. */
interface ObjectDetails<S extends z.ZodObject, F extends z.ZodRawShape, O extends z.ZodRawShape> {
  readonly of: Resource<S>
  readonly table: TenantTable
  /** The column with the id, if it has another name. */
  readonly key?: string
  /** `a course`, in the titles of the operations. */
  readonly one: string
  /** The first part of the operations' names, if it is not the name of the table. */
  readonly name?: string
  /**
   * The data of the scopes, such as `courses` in `courses:read`, if it is not the name; null if
   * apps cannot perform the operations.
   */
  readonly scope?: string | null
  /** The id of an object of the examples. */
  readonly example?: string
  /** What a new object takes, with what it gets if a field is left out. */
  readonly fields?: F
  /** What only a new object takes, because it never changes. */
  readonly once?: O
  /** Every object keeps them, whether it is created, changed or imported. */
  readonly rules?: RowRules<z.output<S>>
  /** Follows each write of these columns in its transaction. */
  wrote?(tx: SchoolTx, id: string, columns: Columns): Promise<void>
}

/** What differs between operations of the same object. All of it has a default but the summary. */
interface Described {
  readonly title?: string
  readonly summary: string
  readonly examples?: readonly OperationExample[]
  /** In place of those of the object. */
  readonly scopes?: readonly string[]
  readonly judgesScopes?: true
  readonly queuesMail?: 'maybe'
  needsProof?(input: Columns): boolean
}

/**
 * The operations of one kind of object. An operation whose function is left out does what its name
 * says with the row of the object, and nothing else.
 */
export function objectOperations<
  S extends z.ZodObject,
  const F extends z.ZodRawShape = NoFields,
  const O extends z.ZodRawShape = NoFields,
>(details: ObjectDetails<S, F, O>) {
  const { of, table, key = 'id', one, name = table, scope = name, example, rules, wrote } = details
  const noun = one.slice(one.indexOf(' ') + 1)
  const { fields = {} as F, once = {} as O } = details
  const scopesOf = (access: 'read' | 'write') => (scope === null ? [] : [`${scope}:${access}`])

  const target = ({ id, if_version }: Named) => ({
    object: of.object,
    key: { [key]: id },
    ifVersion: if_version,
  })

  function described(verb: string, access: 'read' | 'write', given: Partial<Described> = {}) {
    const title = `${capitalized(verb.replaceAll('_', ' '))} ${one}`
    const shown = access === 'read' ? capitalized(one) : title
    return {
      name: `${name}.${verb}`,
      title,
      summary: '',
      scopes: scopesOf(access),
      examples:
        scope === null || example === undefined ? [] : [{ title: shown, input: { id: example } }],
      of,
      ...given,
    }
  }

  /** Stores a new object and returns its id. */
  async function insert(tx: SchoolTx, columns: Columns): Promise<string> {
    const made = uuidv7()
    await tx.insert(table, { ...columns, [key]: made } as never).execute()
    await wrote?.(tx, made, columns)
    return made
  }

  /** Sets the given columns; undefined leaves a column unchanged. */
  async function update(tx: SchoolTx, named: Named, columns: Columns): Promise<void> {
    await writing(tx).update(table, target(named), columns)
    await wrote?.(tx, named.id, columns)
  }

  /** Refuses a change after which the object would break a rule. */
  async function check(tx: SchoolTx, caller: Actor, named: Named, columns: Columns): Promise<void> {
    if (rules === undefined) return
    const row = [table, { ...target(named), key: { id: named.id } }] as const
    await checkChange(tx, caller, of, rules, row, columns as never)
  }

  return {
    insert,
    update,
    check,

    /** Locks an object; refuses a missing one and another version. */
    lock: (tx: SchoolTx, named: Named) => checkVersion(tx, table, target(named)),

    /** What the list of the objects has in common with the other operations. */
    listed: {
      name: `${name}.list`,
      title: `List ${name.replaceAll('_', ' ')}`,
      scopes: scopesOf('read'),
      of,
      ...(scope === null && { examples: [] }),
    },

    read: (given: Partial<Described> = {}) =>
      readOperation({ ...described('read', 'read'), summary: `One ${noun} by its id.`, ...given }),

    create: (
      given: Described & {
        create?(
          tx: SchoolTx,
          caller: Actor,
          input: z.output<z.ZodObject<O & F, z.core.$strict>>,
        ): Promise<string>
      },
    ) =>
      createOperation({
        ...described('create', 'write'),
        fields: { ...once, ...fields },
        async create(tx, _caller, input) {
          if (rules !== undefined) checkRow(rules as RowRules<unknown>, input)
          return await insert(tx, input)
        },
        ...given,
      }),

    change: <A extends z.ZodRawShape = ChangeFields<F>>(
      given: Partial<Described> & {
        /** In place of all fields. */
        readonly fields?: A
        change?(tx: SchoolTx, caller: Actor, input: Changing<A>): Promise<void>
      } = {},
    ) =>
      changeOperation({
        ...described('change', 'write'),
        summary: 'Changes the given fields; all others stay unchanged.',
        fields: changeFields(fields) as unknown as A,
        async change(tx, caller, input) {
          const { id, if_version, ...columns } = input as Named & Columns
          await check(tx, caller, { id, if_version }, columns)
          await update(tx, { id, if_version }, columns)
        },
        ...given,
      }),

    /** Sets columns to the same values for every object, such as another state. */
    move: (verb: string, { to, ...given }: Described & { readonly to: Columns }) =>
      changeOperation({
        ...described(verb, 'write', given),
        fields: {},
        change: (tx, _caller, named) => update(tx, named, to),
      }),

    /** Any other change of an object. */
    action: <A extends z.ZodRawShape = NoFields>(
      verb: string,
      given: Described & {
        readonly fields?: A
        readonly needsVersion?: true
        change(tx: SchoolTx, caller: Actor, input: Changing<A>): Promise<void>
      },
    ) => changeOperation({ ...described(verb, 'write'), fields: {} as A, ...given }),

    remove: (
      given: Described & {
        readonly keptBy?: readonly Keeper[]
        whyNot?(db: SchoolDb, caller: Actor, id: string): Promise<string | undefined>
        remove?(tx: SchoolTx, caller: Actor, input: Changing<NoFields>): Promise<void>
      },
    ) =>
      removeOperation({
        ...described('remove', 'write'),
        remove: (tx, _caller, named) => writing(tx).delete(table, target(named)),
        ...given,
      }),
  }
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
