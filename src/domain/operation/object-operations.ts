import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import type { OperationExample, ReadOperation, WriteOperation } from '../operation.ts'
import { id, ifVersion } from './fields.ts'
import { expandField, expansionScopes, namesIn } from './list-operation.ts'
import { expandObjects, loadObject, type Resource } from './resource.ts'

interface Details<S extends z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly scopes: readonly string[]
  readonly of: Resource<S>
  readonly examples: readonly OperationExample[]
}

/** One object by its id. */
export function readOperation<S extends z.ZodObject>(details: Details<S>): ReadOperation {
  const { of: resource, ...described } = details
  const expandable = Object.keys(resource.expansions ?? {})
  return {
    ...described,
    kind: 'read',
    input: z.strictObject({
      id,
      ...(expandable.length === 0 ? {} : { expand: expandField(expandable) }),
    }),
    output: resource.schema,
    extraScopes: (asked) => expansionScopes(resource, asked.expand),
    async run(at, caller, asked) {
      const found: Record<string, unknown> = await loadObject(
        at,
        caller,
        resource,
        String(asked.id),
      )
      await expandObjects(at, caller, resource, [found], namesIn(asked.expand))
      return found
    },
  }
}

/** Makes an object and answers with it: whoever may write it may see what they wrote. */
export function createOperation<S extends z.ZodObject, F extends z.ZodRawShape>(
  details: Details<S> & {
    readonly fields: F
    /** Returns the id of what was made. */
    create(tx: SchoolTx, caller: Actor, input: z.output<z.ZodObject<F>>): Promise<string>
  },
): WriteOperation {
  const { of: resource, fields, create, ...described } = details
  return {
    ...described,
    kind: 'create',
    input: z.strictObject(fields),
    output: resource.schema,
    async run(tx, caller, input) {
      const made = await create(tx, caller, input as z.output<z.ZodObject<F>>)
      return await loadObject(tx, caller, resource, made)
    },
  }
}

/** The input of a change: the object, what to change, and the version the caller saw. */
export type Changing<F extends z.ZodRawShape> = z.output<z.ZodObject<F>> & {
  readonly id: string
  readonly if_version?: number | undefined
}

/** Changes an object and answers with what it became. A member that is left out stays as it is. */
export function changeOperation<S extends z.ZodObject, F extends z.ZodRawShape>(
  details: Details<S> & {
    readonly fields: F
    change(tx: SchoolTx, caller: Actor, input: Changing<F>): Promise<void>
  },
): WriteOperation {
  const { of: resource, fields, change, ...described } = details
  return {
    ...described,
    kind: 'change',
    input: z.strictObject({ id, ...fields, if_version: ifVersion }),
    output: resource.schema,
    async run(tx, caller, input) {
      await change(tx, caller, input as Changing<F>)
      return await loadObject(tx, caller, resource, String(input.id))
    },
  }
}

/** Removes an object for good; the answer names what is gone. */
export function removeOperation<S extends z.ZodObject>(
  details: Details<S> & {
    remove(tx: SchoolTx, caller: Actor, input: Changing<z.ZodRawShape>): Promise<void>
  },
): WriteOperation {
  const { of: resource, remove, ...described } = details
  return {
    ...described,
    kind: 'remove',
    input: z.strictObject({ id, if_version: ifVersion }),
    output: z
      .strictObject({ object: z.literal(resource.object), id, deleted: z.literal(true) })
      .meta({ id: `Deleted${resource.schema.meta()?.id}` }),
    async run(tx, caller, input) {
      await remove(tx, caller, input as Changing<z.ZodRawShape>)
      return { object: resource.object, id: String(input.id), deleted: true }
    },
  }
}
