import type { z } from 'zod'
import type { ListOperation } from '../../../../domain/operation/list-operation.ts'
import type { ExpansionName } from '../../../../domain/operation/resource.ts'
import type { Choice, FoundChoices, InputName } from './field.ts'
import { type PlannedField, planField } from './field-rules.ts'
import { fromLocalTime } from './read-form.ts'
import type { Row, Show } from './row.ts'

export interface Column<T = Row, S extends string = string> {
  readonly label: string
  readonly show: Show<T>
  /** The list operation's sort for this column, if it has one. */
  readonly sort?: S
}

/** A list operation and how a page shows its rows. */
export interface ListPlan<N extends string = string> {
  readonly operation: ListOperation
  /** Related objects that the columns show. */
  readonly expand?: readonly string[]
  readonly columns: readonly Column[]
  readonly filters: readonly PlannedFilter<N>[]
  /** Sorts of the operation and their labels; the first is the default. */
  readonly sorts: readonly Choice[]
  /** What a search looks at, if the operation has `search`. */
  readonly searchHint?: string
}

/** An object with the related objects that were asked for, and without those that were not. */
export type Shown<O, X> = {
  readonly [K in keyof O as undefined extends O[K] ? (K extends X ? K : never) : K]-?: Exclude<
    O[K],
    undefined
  >
}

export type SortOf<I extends z.ZodObject> =
  z.output<I> extends { readonly sort: infer S extends string } ? S : never
type RowOf<S extends z.ZodObject, X> = Shown<z.output<S>, X>

interface TypedPlan<I extends z.ZodObject, S extends z.ZodObject, X extends ExpansionName<S>>
  extends Omit<ListPlan, 'columns' | 'filters' | 'sorts'> {
  readonly operation: ListOperation<I, S>
  readonly expand?: readonly X[]
  readonly columns: readonly Column<RowOf<S, X>, SortOf<I>>[]
  readonly filters?: readonly ListFilter<InputName<{ readonly input: I }>>[]
  /** With a label, if it is not the usual one. */
  readonly sorts: readonly (SortOf<I> | Choice<SortOf<I>>)[]
}

/**
 * TypeScript checks columns, filters and sorts against the operation here. Routes read all plans
 * the same way, so the result forgets the type of its rows: its columns only ever show rows of its
 * own list.
 */
export function listPlan<
  I extends z.ZodObject,
  S extends z.ZodObject,
  X extends ExpansionName<S> = never,
>(plan: TypedPlan<I, S, X>): ListPlan<InputName<{ readonly input: I }>> {
  const filters = (plan.filters ?? []).map((filter) => planFilter(plan.operation, filter))
  const sorts = plan.sorts.map((sort) => (typeof sort === 'string' ? usualLabel(sort) : sort))
  return { ...plan, filters, sorts } as unknown as ListPlan<InputName<{ readonly input: I }>>
}

const TIMES = ['created_at', 'joined_at', 'registered_at', 'submitted_at']
const USUAL_LABELS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(TIMES.map((time) => [time, 'Oldest first'])),
  ...Object.fromEntries(TIMES.map((time) => [`-${time}`, 'Newest first'])),
  '-updated_at': 'Last changed',
  starts_at: 'Earliest first',
  '-starts_at': 'Latest first',
  title: 'Title, A to Z',
  '-title': 'Title, Z to A',
  name: 'Name, A to Z',
  '-name': 'Name, Z to A',
  code: 'Code, A to Z',
  '-code': 'Code, Z to A',
  price_amount: 'Price, lowest first',
  '-price_amount': 'Price, highest first',
}

function usualLabel(sort: string): Choice {
  const label = USUAL_LABELS[sort]
  if (label === undefined) throw new Error(`the sort ${sort} needs a label`)
  return [sort, label]
}

export interface ListFilter<N extends string = string> {
  readonly name: N
  readonly label: string
  /** If left out, the values of an enum; Yes and No for a boolean. */
  readonly choices?: readonly Choice[] | FoundChoices
  /** Shows an input for a text or a number, which has no choices. */
  readonly typed?: true
  /** The value before anything is chosen; if left out, the list shows all objects. */
  readonly initial?: string
}

/** A filter and its control, which follows from the operation's schema. */
export interface PlannedFilter<N extends string = string> extends PlannedField {
  readonly name: N
  readonly initial: string
  readonly schema: z.ZodType
}

const YES_NO: readonly Choice[] = [
  ['true', 'Yes'],
  ['false', 'No'],
]

/** Throws if the operation has no such filter, or if no control can ask for its value. */
export function planFilter<N extends string>(
  operation: Pick<ListOperation, 'name' | 'filters'>,
  filter: ListFilter<N>,
): PlannedFilter<N> {
  const { name, typed, initial = '' } = filter
  const schema = operation.filters[name]?.schema
  if (schema === undefined) throw new Error(`${operation.name} has no filter ${name}`)
  const field = planField(filter, schema, 'read')
  const planned = { ...field, name, initial, schema }
  if (field.choices !== undefined) return { ...planned, kind: 'choice' }
  switch (field.kind) {
    case 'check':
      return { ...planned, kind: 'choice', choices: YES_NO }
    case 'choice':
    case 'time':
    case 'date':
      return planned
    case 'line':
    case 'email':
    case 'number':
      if (typed) return planned
      throw new Error(`The filter ${name} of ${operation.name} needs choices or typed: true`)
    default:
      throw new Error(`The filter ${name} of ${operation.name} needs choices`)
  }
}

/** The operation's value for a text from an address; undefined if the operation refuses it. */
export function filterValue(
  { kind, schema }: PlannedFilter,
  text: string,
  timeZone: string,
): unknown {
  const readings =
    kind === 'time'
      ? [fromLocalTime(text, timeZone)?.toISOString()]
      : [text, Number(text), text === 'true']
  return readings.find((value) => schema.safeParse(value).success)
}
