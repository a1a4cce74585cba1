import { isOperator } from '../../../domain/actor/actor.ts'
import { openPending } from '../../../domain/grants/pending-authorization.ts'
import type { Keyring } from '../../../foundation/crypto/seal.ts'
import { parseLocalPath } from '../../../foundation/http/link-header.ts'

/**
 * The server refuses longer addresses. Above this, the person continues to their account after
 * signing in.
 */
const LONGEST_ADDRESS = 8000

/** Where a person continues after signing in. */
export interface AfterSignIn {
  /** The pending authorization of the app that waits. */
  readonly sealedRequest?: string | undefined
  /** A page of ours. */
  readonly returnTo?: string | undefined
  /**
   * The sealed form that the person sent before; see `kept-form.ts`. It is too long for an address.
   */
  readonly keptForm?: string | undefined
}

/** Reads it from a query or a form. Leaves out values that are not ours. */
export function readAfterSignIn(
  keyring: Keyring,
  schoolId: string,
  fields: URLSearchParams,
): AfterSignIn {
  const sealedRequest = fields.get('request') ?? undefined
  const pending = openPending(keyring, schoolId, sealedRequest)
  return {
    sealedRequest: pending === undefined ? undefined : sealedRequest,
    returnTo: parseLocalPath(fields.get('return_to')),
    keptForm: fields.get('kept_form') ?? undefined,
  }
}

/** The address where a person with these roles continues now. */
export function placeAfterSignIn(after: AfterSignIn, roles: readonly string[]): string {
  const { sealedRequest, returnTo } = after
  if (sealedRequest !== undefined) return `/consent?request=${sealedRequest}`
  return returnTo ?? homeOf(roles)
}

/** Where a person starts who asked for no page. */
export function homeOf(roles: readonly string[]): string {
  return isOperator(roles) ? '/admin' : '/account'
}

/** Adds to a path where the person continues after signing in. */
export function keepAfterSignIn(path: string, after: AfterSignIn): string {
  const query = new URLSearchParams()
  if (after.sealedRequest !== undefined) query.set('request', after.sealedRequest)
  if (after.returnTo !== undefined) query.set('return_to', after.returnTo)
  const whole = `${path}${path.includes('?') ? '&' : '?'}${query}`
  return query.size === 0 || whole.length > LONGEST_ADDRESS ? path : whole
}
