import type { ReasonCode } from '../../foundation/errors/catalogue.ts'

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

/** The same text for an id that does not exist and for one of another school, so that ids cannot be probed. */
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
