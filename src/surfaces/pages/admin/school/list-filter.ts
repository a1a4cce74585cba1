import type { z } from 'zod'
import type { ListOperation } from '../../../../domain/operation/list-operation.ts'
import type { Choice, FoundChoices } from './field.ts'
import { type PlannedField, planField } from './form/field-rule.ts'
import { fromLocalTime } from './form/local-time.ts'

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
