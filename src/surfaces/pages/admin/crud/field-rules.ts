import { z } from 'zod'
import type { Operation, WriteOperation } from '../../../../domain/operation/operation.ts'
import type { InputProblem, Refusal } from '../../../../domain/operation/refusal.ts'
import type { FieldKind, FormField } from './field.ts'

/** What an operation's schema says about one member of its input. */
interface FieldRule {
  readonly nullable: boolean
  /** Whether a text may be empty. */
  readonly emptyText: boolean
  /** Whether it can be left empty in this form. */
  readonly mayBeEmpty: boolean
  /** Whether an empty field gets a value that is made from another field. */
  readonly suggested: boolean
  readonly values: readonly string[]
  readonly maxLength: number | undefined
  readonly minimum: number | undefined
  readonly maximum: number | undefined
}

/** A field of one form, with all that its operation's schema says about it. */
export interface PlannedField extends FormField {
  readonly kind: FieldKind
  readonly rule: FieldRule
  /** The operation's default. */
  readonly initial: unknown
}

/**
 * The fields that an operation takes, in the order in which the resource lists them. A resource has
 * one list of fields for two forms, so a field may belong to the operation of the other form. A
 * field that neither takes is a mistake: without the error, the form would not have it and nothing
 * would say so.
 */
export function planForm(
  operation: WriteOperation,
  fields: readonly FormField[],
  otherForm?: WriteOperation,
): readonly PlannedField[] {
  return fields.flatMap((field) => {
    const schema = operation.input.shape[field.name] as z.ZodType | undefined
    if (schema !== undefined) return [planField(field, schema, operation.kind)]
    if (field.name in (otherForm?.input.shape ?? {})) return []
    throw new Error(`${operation.name} takes no ${field.name}`)
  })
}

interface Described {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Described
  readonly anyOf?: readonly Described[]
  readonly default?: unknown
}

export function planField(
  field: FormField,
  schema: z.ZodType,
  doing: Operation['kind'],
): PlannedField {
  const whole = descriptionOf(schema)
  const described = whole.anyOf?.find(({ type }) => type !== 'null') ?? whole
  const { maxLength, minimum, maximum } = described
  const nullable = schema.safeParse(null).success
  const emptyText = schema.safeParse('').success
  // A change may leave out every member, so that says nothing about whether a field may be empty.
  const omittable = doing === 'create' && schema.safeParse(undefined).success
  const kind = field.kind ?? kindOf(described, field)
  return {
    ...field,
    kind,
    meansWith: field.meansWith ?? (kind === 'money' ? ['currency'] : []),
    rule: {
      nullable,
      emptyText,
      mayBeEmpty: nullable || emptyText || omittable,
      suggested: doing === 'create' && field.suggest !== undefined,
      values: (described.enum ?? described.items?.enum ?? []).map(String),
      maxLength,
      minimum,
      maximum,
    },
    initial: whole.default,
  }
}

const descriptions = new WeakMap<z.ZodType, Described>()

/** Several forms ask about the same schema, and to describe one takes a while. */
function descriptionOf(schema: z.ZodType): Described {
  const known =
    descriptions.get(schema) ??
    (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Described)
  descriptions.set(schema, known)
  return known
}

function kindOf(
  { type, format, enum: values }: Described,
  { rows, choices }: FormField,
): FieldKind {
  if (type === 'boolean') return 'check'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'array') return 'choices'
  if (values !== undefined || choices !== undefined) return 'choice'
  if (format === 'date-time') return 'time'
  if (format === 'date') return 'date'
  if (format === 'email') return 'email'
  return rows === undefined ? 'line' : 'text'
}

/** Problems by the name of the field. */
export type FieldProblems = Readonly<Record<string, readonly string[]>>

export interface FormProblems {
  readonly fields: FieldProblems
  /** Problems that belong to no field. */
  readonly whole: readonly string[]
}

export const NO_PROBLEMS: FormProblems = { fields: {}, whole: [] }

type Refused = Exclude<Refusal, { kind: 'not_found' }>

/**
 * An operation's refusal, each problem beside the field that its pointer names.
 *
 * @param stale what to say if the object has another version by now
 */
export function problemsOf(
  refusal: Refused,
  fields: readonly PlannedField[],
  stale: string,
): FormProblems {
  switch (refusal.kind) {
    case 'stale':
      return { fields: {}, whole: [stale] }
    case 'forbidden':
      return { fields: {}, whole: [refusal.detail] }
    case 'conflict':
      return sorted([conflictAt(refusal, fields)], fields)
    case 'invalid':
      return sorted(refusal.problems, fields)
  }
}

function sorted(problems: readonly InputProblem[], fields: readonly PlannedField[]): FormProblems {
  const byField: Record<string, string[]> = {}
  const whole: string[] = []
  const lacking = problems.filter(({ code }) => code === 'required').map(nameIn)
  for (const problem of problems) {
    const name = nameIn(problem)
    const field = fields.find((one) => one.name === name)
    if (field !== undefined && isReportedElsewhere(problem, field, lacking)) continue
    if (field === undefined) whole.push(problem.detail)
    else byField[name] = [...new Set([...(byField[name] ?? []), wordsFor(problem, field)])]
  }
  return { fields: byField, whole: [...new Set(whole)] }
}

/** Beside its field, a name that is taken needs no sentence about the object. */
function conflictAt(
  { code, detail, pointer = '' }: Extract<Refusal, { kind: 'conflict' }>,
  fields: readonly PlannedField[],
): InputProblem {
  const isBeside = fields.some(({ name }) => pointer === `/${name}`)
  const words = isBeside && code === 'taken' ? 'This is taken already. Choose another.' : detail
  return { pointer, code, detail: words }
}

/**
 * A field that is made from another field gets no message of its own if that field is missing too.
 */
function isReportedElsewhere(
  { code }: InputProblem,
  { rule, suggest }: PlannedField,
  lacking: readonly string[],
): boolean {
  return code === 'required' && rule.suggested && lacking.includes(suggest?.from ?? '')
}

function nameIn({ pointer }: InputProblem): string {
  return pointer.split('/')[1] ?? ''
}

function wordsFor({ code, detail }: InputProblem, { rule, kind }: PlannedField): string {
  if (kind === 'choice' && (code === 'required' || code === 'invalid_value')) {
    return 'Choose one of these.'
  }
  if (code === 'required' || code === 'wrong_type') return 'Fill this in.'
  if (code !== 'too_small' && code !== 'too_big') return detail
  return rangeIn(rule) ?? detail
}

function rangeIn({ minimum, maximum }: FieldRule): string | undefined {
  const bounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
  if (minimum !== undefined && bounded) return `Write a number from ${minimum} to ${maximum}.`
  if (minimum !== undefined) return `Write a number that is at least ${minimum}.`
  return bounded ? `Write a number that is at most ${maximum}.` : undefined
}

/** Joins the problems of reading the form to those that the operation found. */
export function withReadingProblems(read: FieldProblems, found: FormProblems): FormProblems {
  return { whole: found.whole, fields: { ...found.fields, ...read } }
}

export function anyProblem({ fields, whole }: FormProblems): boolean {
  return whole.length > 0 || Object.keys(fields).length > 0
}
