import type { ComponentChildren } from 'preact'
import type { z } from 'zod'
import type { ReadOperation, WriteOperation } from '../../../../domain/operation.ts'

/** An object as an operation answers it. */
export type Row = Readonly<Record<string, unknown>>

/** Where and for whom something is shown. */
export interface Place {
  readonly timeZone: string
  /** The school's own, for prices that name none. */
  readonly currency: string
}

/** Shows a part of an object; what comes out empty is left out. */
export type Show = (object: Row, place: Place) => ComponentChildren

export interface Column {
  readonly label: string
  readonly show: Show
  /** The name of the list operation's sorting, if it can be sorted by this column. */
  readonly sort?: string
}

export interface Fact {
  readonly label: string
  readonly show: Show
  /** For longer words. */
  readonly wide?: boolean
}

/** Performs a read as whoever looks at the page; what does not exist becomes a page that says so. */
export type Ask = <I extends z.ZodObject, O extends z.ZodObject>(
  operation: ReadOperation<I, O>,
  input: Row,
) => Promise<z.output<O>>

export type Choice = readonly [value: string, label: string]

export type FieldKind =
  | 'line'
  | 'text'
  | 'markdown'
  | 'email'
  | 'number'
  | 'money'
  | 'time'
  | 'date'
  | 'check'
  | 'choice'
  | 'choices'
  /** Several short texts in one line, with commas or spaces between them. */
  | 'list'
  | 'color'

export interface FormField {
  /** A member of the operation's input. A form has it only if its operation does. */
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** Told from the operation's schema if left out. */
  readonly kind?: FieldKind
  readonly rows?: number
  /** What can be chosen, for actions with the object; the values of an enum if left out. */
  readonly choices?: readonly Choice[] | ((ask: Ask, object: Row) => Promise<readonly Choice[]>)
  /** For money: the member that holds its currency. */
  readonly currency?: string
  /** Turns what was typed into the value that is meant; undefined if nothing is. */
  readonly resolve?: (typed: string, ask: Ask) => Promise<string | undefined>
  /** For a new object: what an empty field means, given what was typed into others. */
  readonly suggest?: { readonly from: string; make(text: string): string }
  /** What to say where `resolve` found nothing. */
  readonly unknown?: string
}

/** Something to do with one object. It asks before it does it. */
export interface Action {
  /** Its page lies at the object's, followed by this. */
  readonly path: string
  readonly label: string
  readonly operation: WriteOperation
  readonly question: string
  /** What will happen; the operation's own summary if left out. */
  readonly consequence?: string
  /** Said when it is done. */
  readonly done: string
  readonly tone?: 'danger'
  /** Whether it makes sense for this object. */
  readonly when?: (object: Row) => boolean
  readonly fields?: readonly FormField[]
  /** Members of the input that are not asked for. */
  readonly input?: Row
}

export interface ListFilter {
  readonly name: string
  readonly label: string
  /** The values of an enum if left out; for yes or no, `true` and `false`. */
  readonly choices?: readonly Choice[] | ((ask: Ask) => Promise<readonly Choice[]>)
  /** What is shown to whoever did not choose; all of them if left out. */
  readonly initial?: string
}

export interface ListPlan {
  readonly operation: ReadOperation
  readonly filters?: readonly ListFilter[]
  /** Sortings of the operation with the words for them; the first is the one without a choice. */
  readonly sorts: readonly Choice[]
  /** What can be searched by, if the operation has `search`. */
  readonly searchHint?: string
}

/** Objects of another kind that belong to one object: a list on its page, and a page of its own. */
export interface Related {
  /** The list lies at the object's page, followed by this. */
  readonly path: string
  readonly title: string
  readonly of: AdminResource
  readonly list: ListPlan
  /** The member of the inputs, of list and creation, that takes the id of this object. */
  readonly by: string
  readonly columns?: readonly Column[]
  /** The words for making one from here. */
  readonly add?: string
  /** Whether one can be made from here. */
  readonly mayAdd?: (object: Row) => boolean
  readonly empty: string
}

/** A file that belongs to an object. */
export interface Upload {
  readonly path: string
  readonly title: string
  readonly hint: string
  /** The member of the change's input that takes the id of the file. */
  readonly field: string
  readonly accept?: string
}

/** How the admin area shows one kind of object: everything else is told by its operations. */
export interface AdminResource {
  /** Below `/admin/`. */
  readonly path: string
  /** `course`, in sentences. */
  readonly one: string
  /** `Courses`, as a heading. */
  readonly many: string
  readonly lead?: string
  /** Absent for what is only found with the object that it belongs to. */
  readonly list?: ListPlan
  readonly read: ReadOperation
  /** Related objects to have put in, in lists and on the page. */
  readonly expand?: readonly string[]
  readonly name: (object: Row) => string
  readonly badges?: Show
  readonly columns: readonly Column[]
  readonly facts: readonly Fact[]
  /** Text of the object that is Markdown, shown as readers see it. */
  readonly markdown?: { readonly title: string; readonly member: string }
  readonly fields: readonly FormField[]
  readonly create?: WriteOperation
  readonly createLabel?: string
  readonly change?: WriteOperation
  readonly changeLabel?: string
  readonly actions: readonly Action[]
  readonly related?: readonly Related[]
  readonly uploads?: readonly Upload[]
  /** Panels of its own that the page ends with. */
  readonly panels?: (object: Row, place: Place, ask: Ask) => Promise<ComponentChildren>
  /** Where else people would look for it. */
  readonly links?: (object: Row) => readonly Link[]
  /** The page above an object; its list if left out. */
  readonly up?: (object: Row) => Link
  /** Said, by the page that it belongs to, when one was made that has no page of its own. */
  readonly created?: string
  /** The page of the menu that these pages count as, where it is not their own list. */
  readonly menu?: string
  /** Where people are when they made or changed one; its own page if left out. */
  readonly home?: (object: Row) => string
}

export interface Link {
  readonly url: string
  readonly label: string
  /** Looks as important as an action. */
  readonly button?: boolean
}

export function listPath(resource: AdminResource): string {
  return `/admin/${resource.path}`
}

export function objectPath(resource: AdminResource, object: Row, rest = ''): string {
  return `${listPath(resource)}/${String(object.id)}${rest}`
}

/** Which page of the menu is marked, given where one is. */
export function placeInMenu(resource: AdminResource, here: string): string {
  return resource.menu ?? here
}

/** The page after a write, told what to say. */
export function afterWrite(url: string, done: string): string {
  const [page, place] = url.split('#')
  return `${page}?done=${done}${place === undefined ? '' : `#${place}`}`
}

/** Where the page of an object leads up to. */
export function upFrom(resource: AdminResource, object: Row): Link {
  return resource.up?.(object) ?? { url: listPath(resource), label: resource.many }
}

/** The text of a member; what is missing is empty. */
export function textOf(object: Row, member: string): string {
  const value = object[member]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** A member that is an object itself, such as one that was put in. */
export function partOf(object: Row, member: string): Row | undefined {
  const value = object[member]
  return typeof value === 'object' && value !== null ? (value as Row) : undefined
}

export function rowsOf(object: Row, member: string): readonly Row[] {
  const value = object[member]
  return Array.isArray(value) ? (value as Row[]) : []
}
