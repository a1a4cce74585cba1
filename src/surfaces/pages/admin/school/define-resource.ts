import type { ComponentChildren } from 'preact'
import type { z } from 'zod'
import type { ReadOperation, WriteOperation } from '../../../../domain/operation/operation.ts'
import type { ExpansionName } from '../../../../domain/operation/resource.ts'
import type { Ask, FormField, InputName } from './field.ts'
import type { Shown } from './list-plan.ts'
import type { Action, AdminResource, Fact, Link, Related, Upload } from './resource.ts'
import type { OutputOf, Place, Show, TextMember } from './row.ts'

/** The parts of a resource that read an object (`T`) or name a member of an input. */
interface TypedParts<T, C, U, Home> {
  readonly name: (object: T) => string
  readonly badges?: Show<T>
  readonly facts: readonly Fact<T>[]
  readonly markdown?: {
    readonly title: string
    readonly member: TextMember<T>
    readonly isKept?: boolean
  }
  readonly fields: readonly FormField<InputName<C> | InputName<U>, unknown>[]
  readonly actions: readonly Action<T>[]
  readonly related?: readonly Related<T>[]
  readonly uploads?: readonly Upload<InputName<U> & keyof T>[]
  readonly panels?: (
    object: T,
    place: Place,
    ask: Ask,
    formToken: string,
  ) => Promise<ComponentChildren>
  readonly links?: (object: T, place: Place) => readonly Link[]
  readonly isChanging?: (object: T) => boolean
  readonly up?: (object: T) => Link
  readonly home?: (object: Home) => string
}

type Definition<
  O extends z.ZodObject,
  X,
  C extends WriteOperation,
  U extends WriteOperation,
> = Omit<AdminResource, keyof TypedParts<never, never, never, never> | 'read' | 'expand'> &
  TypedParts<Shown<z.output<O>, X>, C, U, z.output<O> | OutputOf<C>> & {
    readonly read: ReadOperation<z.ZodObject, O>
    readonly expand?: readonly X[]
    readonly create?: C
    readonly change?: U
  }

/**
 * A resource whose parts TypeScript checks against its operations: a column, fact or link reads only
 * members of the object, and a field names only members of the create or change input. The routes
 * treat all resources alike, so this is the one place where the types of the object are dropped: the
 * functions of a resource only ever get what its own operations answered.
 */
export function defineResource<
  O extends z.ZodObject,
  X extends ExpansionName<O> = never,
  C extends WriteOperation = never,
  U extends WriteOperation = never,
>(definition: Definition<O, X, C, U>): AdminResource {
  return definition as unknown as AdminResource
}
