import type { z } from 'zod'

export interface InputProblem {
  /** Where in the input, as a JSON pointer. */
  readonly pointer: string
  readonly code: string
  readonly detail: string
}

/** Why an operation did nothing. Each surface says it in its own dialect. */
export type Refusal =
  | { readonly kind: 'invalid'; readonly problems: readonly InputProblem[] }
  | { readonly kind: 'not_found'; readonly detail: string }
  /** The state of things forbids it; `code` says which rule. */
  | {
      readonly kind: 'conflict'
      readonly code: string
      readonly detail: string
      readonly pointer?: string
    }
  /** Somebody changed the object after the version that the caller saw. */
  | { readonly kind: 'stale'; readonly version: number }
  | { readonly kind: 'forbidden'; readonly code: string; readonly detail: string }

/** Thrown inside an operation, so that its transaction is rolled back; never leaves the domain. */
export class OperationRefused extends Error {
  override readonly name = 'OperationRefused'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.kind)
    this.refusal = refusal
  }
}

/** What does not exist here and what belongs to another school get the same words. */
export function notFound(object: string): OperationRefused {
  const name = object.replaceAll('_', ' ')
  const detail = `There is no ${name} with this id at this school. Check the id.`
  return new OperationRefused({ kind: 'not_found', detail })
}

export function conflict(code: string, detail: string): OperationRefused {
  return new OperationRefused({ kind: 'conflict', code, detail })
}

export function stale(version: number): OperationRefused {
  return new OperationRefused({ kind: 'stale', version })
}

export function forbidden(code: string, detail: string): OperationRefused {
  return new OperationRefused({ kind: 'forbidden', code, detail })
}

export function invalid(field: string, code: string, detail: string): OperationRefused {
  return new OperationRefused({
    kind: 'invalid',
    problems: [{ pointer: pointerTo([field]), code, detail }],
  })
}

/** @see RFC 6901 §3 */
function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

export function invalidInput(error: z.ZodError): Refusal {
  return { kind: 'invalid', problems: error.issues.flatMap(problemsOf) }
}

function problemsOf(issue: z.core.$ZodIssue): InputProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, 20).map((key) => ({
      pointer: pointerTo([...issue.path, key.slice(0, 100)]),
      code: 'unknown_field',
      detail: 'There is no such field here. Remove it, or check its spelling.',
    }))
  }
  return [{ pointer: pointerTo(issue.path), code: codeOf(issue), detail: detailOf(issue) }]
}

function detailOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_type') return issue.message
  if (issue.input === undefined) return 'This is required.'
  if (issue.input !== null) return issue.message
  return 'This cannot be null. Send a value, or leave it out.'
}

function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return issue.input === undefined ? 'required' : 'wrong_type'
  return issue.code === 'custom' ? 'invalid' : issue.code
}
