export interface InputProblem {
  /** Where in the input, as a JSON pointer. */
  readonly pointer: string
  readonly code: string
  readonly detail: string
  /** The limit that was missed, for `too_small` and `too_big`: of a number, or a length. */
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
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

export function invalid(field: string, code: string, detail: string): OperationRefused {
  return new OperationRefused({
    kind: 'invalid',
    problems: [{ pointer: pointerTo([field]), code, detail }],
  })
}

/** @see RFC 6901 §3 */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
