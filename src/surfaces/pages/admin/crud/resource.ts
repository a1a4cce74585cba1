import type { ComponentChildren } from 'preact'
import type { z } from 'zod'
import type { Audience } from '../../../../domain/notifications/reach.ts'
import type { ReadOperation, WriteOperation } from '../../../../domain/operation/operation.ts'
import type { ExpansionName } from '../../../../domain/operation/resource.ts'
import type { Ask, Place } from '../frame/operator.ts'
import { type AskedWrite, asking, type FormField, type InputName } from './field.ts'
import type { ListPlan, Shown } from './list-plan.ts'
import type { OutputOf, Row, Show, TextMember } from './row.ts'

export interface Fact<T = Row> {
  readonly label: string
  readonly show: Show<T>
  /** For longer text. */
  readonly wide?: boolean
}

/** Something to do with one object. Its page asks before it acts. */
export interface Action<T = Row> {
  /** The page of the action is at the object's path, followed by this. */
  readonly path: string
  readonly label: string
  /** What it is called instead for an object in another state. */
  readonly labelFor?: (object: T) => string | undefined
  /** With `asking`, if the operation takes more than the id of the object. */
  readonly does: WriteOperation | AskedWrite<T>
  readonly question: string
  /** What will happen; if left out, the operation's own summary. */
  readonly consequence?: string | ((object: T, place: Place) => string)
  /**
   * What will happen to several objects. Without it, the action is not offered for selected rows.
   * Not with `asking`.
   */
  readonly consequenceOfMany?: string
  /** Whom it tells what; its page says how many people that reaches. */
  readonly tells?: (object: T) => Audience | undefined
  /** The notice after it is done. */
  readonly done: string
  readonly tone?: 'danger'
  /** Whether the page asks to type the name of the object, because much is lost with it. */
  readonly confirmsName?: true
  /** Whether it can be done with this object as it is now. */
  readonly when?: (object: T) => boolean
}

const FOR_GOOD = {
  consequence: 'It is deleted for good.',
  consequenceOfMany: 'They are deleted for good.',
}

/** The action that deletes an object for good. */
export function deleting<T = Row>(
  one: string,
  does: WriteOperation,
  given: Partial<Action<T>> = FOR_GOOD,
): Action<T> {
  return {
    path: 'delete',
    label: 'Delete',
    does,
    question: `Delete this ${one}?`,
    done: `The ${one} is deleted.`,
    tone: 'danger',
    ...given,
  }
}

/** The action as it is called for this object. */
export function labelled(action: Action, object: Row): Action {
  return { ...action, label: action.labelFor?.(object) ?? action.label }
}

/**
 * Something to do with the selected rows of a list. Its page asks once for what is the same for all
 * of them.
 */
export interface ManyAction {
  readonly path: string
  readonly label: string
  readonly does: AskedWrite
  readonly consequence: string
  /** What is said instead if one row is selected. */
  readonly consequenceOfOne?: string
  /** The member of the input that takes the id of a row. */
  readonly by: string
  readonly tone?: 'danger'
  readonly when?: (object: Row) => boolean
}

/** TypeScript checks `by` against the input of the operation. */
export function withRows<W extends WriteOperation>(
  by: InputName<NoInfer<W>>,
  operation: W,
  fields: readonly FormField<InputName<W>, unknown>[],
): Pick<ManyAction, 'by' | 'does'> {
  return { by, does: asking(operation, fields) as AskedWrite }
}

/** Objects of another kind that belong to one object: a list on its page, and a page of its own. */
export interface Related<T = Row> {
  /** The list is at the object's path, followed by this. */
  readonly path: string
  readonly title: string
  readonly of: AdminResource
  readonly rows: RelatedRows
  /** Other rows, for some of the objects. */
  readonly instead?: (object: T) => RelatedRows | undefined
  /** The label of the link to create one from here. */
  readonly add?: string
  /** Whether one can be created from here. */
  readonly mayAdd?: (object: T) => boolean
  readonly empty: string
}

/** A list that is narrowed to one object. */
export interface RelatedRows {
  readonly list: ListPlan
  /** The member of the inputs, of list and creation, that takes the id of that object. */
  readonly by: string
  /** The member of the object with that id. */
  readonly from: string
}

/** TypeScript checks `by` against the input of the list operation. */
export function rowsBy<N extends string>(
  by: NoInfer<N>,
  list: ListPlan<N>,
  from = 'id',
): RelatedRows {
  return { list, by, from }
}

/** The list of what belongs to an object, and what narrows it to that object. */
export function rowsOf({ rows, instead }: Related, object: Row) {
  const { list, by, from } = instead?.(object) ?? rows
  return { list, fixed: { [by]: object[from] } }
}

/** A file that belongs to an object. */
export interface Upload<N extends string = string> {
  readonly path: string
  readonly title: string
  readonly hint: string
  /** The member of the change's input that takes the id of the file. */
  readonly field: N
  readonly accept?: string
}

/**
 * How the admin area shows one kind of object; everything else follows from its operations. This is
 * the form that routes read. `defineResource` makes it from a definition that TypeScript checks
 * against the operations.
 */
export interface AdminResource {
  /** Below `/admin/`. */
  readonly path: string
  /** `course`, in sentences. */
  readonly one: string
  /** `Courses`, as a heading. */
  readonly many: string
  readonly lead?: string
  /** Said after "There is no … yet", where the page of the list cannot add one. */
  readonly empty?: string
  /** Absent for objects that are only listed on the page of another object. */
  readonly list?: ListPlan
  readonly read: ReadOperation
  /** Related objects that the page shows. */
  readonly expand?: readonly string[]
  readonly name: (object: Row) => string
  readonly badges?: Show
  readonly facts: readonly Fact[]
  /**
   * A member with Markdown text, shown as readers see it; `isKept` if visitors read it, because its
   * HTML is kept then.
   */
  readonly markdown?: {
    readonly title: string
    readonly member: string
    readonly isKept?: boolean
  }
  readonly fields: readonly FormField[]
  readonly create?: WriteOperation
  readonly createLabel?: string
  /** Whether a new object is told to a member. */
  readonly createTells?: true
  readonly change?: WriteOperation
  readonly changeLabel?: string
  /** Other pages that the list leads to, as buttons. */
  readonly listLinks?: readonly Link[]
  readonly actions: readonly Action[]
  /**
   * What can be done with the selected rows besides the actions that need nothing but the object.
   */
  readonly forMany?: readonly ManyAction[]
  readonly related?: readonly Related[]
  readonly uploads?: readonly Upload[]
  /** More panels for the end of the page. */
  readonly panels?: (
    object: Row,
    place: Place,
    ask: Ask,
    formToken: string,
  ) => Promise<ComponentChildren>
  /** Other pages about the object. */
  readonly links?: (object: Row, place: Place) => readonly Link[]
  /** Whether the page of this object loads itself again after a moment. */
  readonly isChanging?: (object: Row) => boolean
  /** The page above an object; if left out, its list. */
  readonly up?: (object: Row) => Link
  /** For objects without a page of their own: the notice on the page of the parent. */
  readonly created?: string
  /** The menu item to highlight, if it is not the resource's own list. */
  readonly menu?: string
  /** The page after a create or a change; if left out, the object's own page. */
  readonly home?: (object: Row) => string
}

export interface Link {
  readonly url: string
  readonly label: string
  /** Shown as a button. */
  readonly button?: boolean
}

export function listPath(resource: AdminResource): string {
  return `/admin/${resource.path}`
}

export function objectPath(resource: AdminResource, object: Row, rest = ''): string {
  return `${listPath(resource)}/${String(object.id)}${rest}`
}

/** The menu item to highlight on a page. */
export function placeInMenu(resource: AdminResource, here: string): string {
  return resource.menu ?? here
}

/** The page after a write, with the key of its notice. */
export function afterWrite(url: string, done: string): string {
  const [page, place] = url.split('#')
  return `${page}?done=${done}${place === undefined ? '' : `#${place}`}`
}

/** The page above the page of an object. */
export function upFrom(resource: AdminResource, object: Row): Link {
  return resource.up?.(object) ?? { url: listPath(resource), label: resource.many }
}

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
 * A resource whose parts TypeScript checks against its operations: a column, fact or link reads
 * only members of the object, and a field names only members of the create or change input. The
 * routes treat all resources alike, so this is the one place where the types of the object are
 * dropped: the functions of a resource only ever get what its own operations answered.
 */
export function defineResource<
  O extends z.ZodObject,
  X extends ExpansionName<O> = never,
  C extends WriteOperation = never,
  U extends WriteOperation = never,
>(definition: Definition<O, X, C, U>): AdminResource {
  return definition as unknown as AdminResource
}
