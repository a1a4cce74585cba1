import type { z } from 'zod'
import type { WriteOperation } from '../../../../domain/operation/operation.ts'
import type { Ask } from '../frame/operator.ts'
import type { Row } from './row.ts'

export type Choice<V extends string = string> = readonly [value: V, label: string]

/** Choices of a list that may be long: the chosen ones, and others whose name contains a text. */
export interface FoundChoices {
  offer(ask: Ask, wanted: WantedChoices): Promise<OfferedChoices>
}

export interface WantedChoices {
  /** Empty for the first ones. */
  readonly text: string
  readonly chosen: readonly string[]
}

export interface OfferedChoices {
  readonly choices: readonly Choice[]
  /** Whether there are others, which a text finds. */
  readonly isMore: boolean
}

/** A member of what an operation takes. */
export type InputName<W> = W extends { readonly input: infer I extends z.ZodObject }
  ? keyof z.input<I> & string
  : never

interface Wrong {
  readonly problem: string
}

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
  /** Several texts, each on a line of its own. */
  | 'lines'
  /** Chosen names, each with its meaning; their order says nothing. */
  | 'scopes'
  | 'color'
  | 'currency'
  /** Seconds, asked for as hours, minutes and seconds. */
  | 'duration'

/**
 * A field of a form. `N` are the members of the input, `T` is the object that an action is about.
 */
export interface FormField<N extends string = string, T = Row> {
  readonly name: N
  readonly label: string
  readonly hint?: string
  /** If left out, it follows from the operation's schema. */
  readonly kind?: FieldKind
  /** The operation says by itself what is wrong with an empty text. */
  readonly needed?: true
  readonly rows?: number
  /** What can be chosen; if left out, the values of an enum. */
  readonly choices?:
    | readonly Choice[]
    | ((ask: Ask, object: T) => Promise<readonly Choice[]>)
    | FoundChoices
  /** The heading under which a scope is listed; by default the label of the field. */
  readonly headingOf?: (scope: string) => string
  /** Offered while a line is typed; others can be typed, too. */
  readonly suggestions?: readonly string[]
  /**
   * Turns the typed text into the value for the operation; undefined if there is none, or what is
   * wrong.
   */
  readonly resolve?: (typed: string, ask: Ask) => Promise<string | Wrong | undefined>
  /**
   * Fields without which this one means something else: an amount is in a currency. A person who
   * changes it is told if another one changed one of these meanwhile.
   */
  readonly meansWith?: readonly N[]
  /** The message if `resolve` finds nothing. */
  readonly unknown?: string
  /** In the form of an action: the value before anything is typed. */
  readonly startsAs?: (object: T) => unknown
  /** For a new object: the value of an empty field, made from the text of another field. */
  readonly suggest?: { readonly from: N; make(text: string): string }
}

/** A write, and the form that asks for its input. */
export interface AskedWrite<T = Row> {
  readonly operation: WriteOperation
  readonly fields: readonly FormField<string, T>[]
  /** Members of the input that the form does not ask for. */
  readonly input: Row
}

/** The form of an action. TypeScript checks each name against the operation's input. */
export function asking<W extends WriteOperation, T = unknown>(
  operation: W,
  fields: readonly FormField<InputName<W>, T>[],
  input: Partial<z.input<W['input']>> = {},
): AskedWrite<T> {
  return { operation, fields, input }
}
