import { z } from 'zod'
import type { Operation, WriteOperation } from '../../../../../domain/operation/operation.ts'
import type { FieldKind, FormField } from '../field.ts'

/** What an operation's schema says about one member of its input. */
export interface FieldRule {
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
 * one list of fields for two forms, so a field may belong to the operation of the other form. A field
 * that neither takes is a mistake: without the error, the form would not have it and nothing would say so.
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
  return {
    ...field,
    kind: field.kind ?? kindOf(described, field),
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
