import type { z } from 'zod'
import type { ReasonCode } from '../../foundation/errors/catalogue.ts'
import { oneLine } from '../../foundation/text/visible-text.ts'
import { EMAIL_WORDS } from './fields.ts'

export interface InputProblem {
  /** Where in the input, as a JSON pointer. */
  readonly pointer: string
  readonly code: ReasonCode
  readonly detail: string
  /** The limit of the number or the length, for `too_small` and `too_big`. */
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
}

/** Why an operation did nothing. Each surface translates it into its own error format. */
export type Refusal =
  | { readonly kind: 'invalid'; readonly problems: readonly InputProblem[] }
  | { readonly kind: 'not_found'; readonly detail: string }
  /** The state of an object does not allow it; `code` names the rule. */
  | {
      readonly kind: 'conflict'
      readonly code: ReasonCode
      readonly detail: string
      readonly pointer?: string
    }
  /** The object was changed after the version that the caller saw. */
  | { readonly kind: 'stale'; readonly version: number }
  | { readonly kind: 'forbidden'; readonly code: ReasonCode; readonly detail: string }

/** Thrown inside an operation to roll its transaction back; it never leaves the domain. */
export class OperationRefused extends Error {
  override readonly name = 'OperationRefused'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.kind)
    this.refusal = refusal
  }
}

/**
 * One text for an id that does not exist and for one of another school, so that ids cannot be
 * probed.
 */
export function notFound(object: string): OperationRefused {
  const name = object.replaceAll('_', ' ')
  const detail = `There is no ${name} with this id at this school. Check the id.`
  return new OperationRefused({ kind: 'not_found', detail })
}

export function conflict(code: ReasonCode, detail: string): OperationRefused {
  return new OperationRefused({ kind: 'conflict', code, detail })
}

export function stale(version: number): OperationRefused {
  return new OperationRefused({ kind: 'stale', version })
}

export function invalid(field: string, code: ReasonCode, detail: string): OperationRefused {
  return new OperationRefused({
    kind: 'invalid',
    problems: [{ pointer: pointerTo([field]), code, detail }],
  })
}

/** @see RFC 6901 §3 */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

export type JudgedInput<T> =
  | { readonly data: T; readonly problems?: never }
  | { readonly problems: readonly InputProblem[] }

/**
 * Checks an input against its schema. A message in the schema is kept; all other problems get the
 * messages below, so that no text of the schema library reaches a user.
 */
export function judgeInput<S extends z.ZodType>(
  schema: S,
  input: unknown,
): JudgedInput<z.output<S>> {
  const parsed = schema.safeParse(input, { reportInput: true, error: wordsFor })
  if (parsed.success) return { data: parsed.data }
  return {
    problems: parsed.error.issues.slice(0, MAX_PROBLEMS).flatMap(problemsOf).slice(0, MAX_PROBLEMS),
  }
}

/** Enough to correct a form at once. A list of ten thousand wrong entries is one mistake. */
const MAX_PROBLEMS = 20

function problemsOf(issue: z.core.$ZodIssue): InputProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_PROBLEMS).map((key) => ({
      pointer: pointerOf([...issue.path, key]),
      code: 'unknown_field',
      detail: 'There is no such field here. Remove it, or check its spelling.',
    }))
  }
  return [
    {
      pointer: pointerOf(issue.path),
      code: codeOf(issue),
      detail: absenceWords(issue.input) ?? issue.message,
      ...limitOf(issue),
    },
  ]
}

/**
 * A pointer holds names that the caller made up; one that leads to a field of ours is never cut.
 */
function pointerOf(path: readonly PropertyKey[]): string {
  return oneLine(pointerTo(path.map((part) => oneLine(String(part), 100))))
}

function codeOf(issue: z.core.$ZodIssue): ReasonCode {
  if (issue.input === undefined) return 'required'
  if (issue.code === 'invalid_type') return 'wrong_type'
  if (issue.code === 'unrecognized_keys') return 'unknown_field'
  return issue.code === 'custom' ? 'invalid' : issue.code
}

function limitOf(issue: z.core.$ZodIssue): Pick<InputProblem, 'minimum' | 'maximum'> {
  if (issue.code === 'too_small') return { minimum: Number(issue.minimum) }
  return issue.code === 'too_big' ? { maximum: Number(issue.maximum) } : {}
}

function wordsFor(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? 'This value has the wrong type.'
    case 'too_small':
      return boundWords('at least', issue.origin, Number(issue.minimum))
    case 'too_big':
      return boundWords('at most', issue.origin, Number(issue.maximum))
    case 'invalid_value':
      return `Write ${issue.values.length === 1 ? '' : 'one of '}${issue.values.slice(0, 50).map(String).join(', ')}.`
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'This does not have the required format.'
    default:
      return 'This value is not valid here. See the reference.'
  }
}

/** Replaces the schema's own message too, because that message is about a value. */
function absenceWords(input: unknown): string | undefined {
  if (input === undefined) return 'This is required.'
  return input === null ? 'This cannot be null. Send a value, or leave it out.' : undefined
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'Write a text.',
  int: 'Write a whole number.',
  number: 'Write a number.',
  boolean: 'Write true or false.',
  array: 'Write a list.',
  object: 'Write an object.',
  record: 'Write an object.',
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'Write a date such as 2027-01-31.',
  datetime: 'Write a time such as 2027-01-31T09:00:00Z.',
  email: EMAIL_WORDS,
  url: 'Write a web address.',
}

function boundWords(bound: string, origin: string, limit: number): string {
  const s = limit === 1 ? '' : 's'
  if (origin === 'string') return `Write ${bound} ${limit} character${s}.`
  if (origin === 'array') return `Choose ${bound} ${limit === 1 ? 'one' : limit}.`
  return `Write a number that is ${bound} ${limit}.`
}
