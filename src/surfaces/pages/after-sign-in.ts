import { openPending } from '../../domain/grants/pending-authorization.ts'
import type { Keyring } from '../../foundation/crypto/seal.ts'
import { parseLocalPath } from '../../foundation/http/local-path.ts'

/** A longer address would be refused. The person then lands at home, and the app asks again. */
const LONGEST_ADDRESS = 8000

/** Where a person goes on to after signing in. */
export interface AfterSignIn {
  /** The pending authorization of the app that waits. */
  readonly sealedRequest?: string | undefined
  /** A page of ours. */
  readonly returnTo?: string | undefined
}

/** Reads it from a query or a form; values that are not ours are left out. */
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
  }
}

/** The address of a page before sign-in, which carries on where the person goes afterwards. */
export function keepAfterSignIn(path: string, after: AfterSignIn): string {
  const query = new URLSearchParams()
  if (after.sealedRequest !== undefined) query.set('request', after.sealedRequest)
  if (after.returnTo !== undefined) query.set('return_to', after.returnTo)
  const whole = `${path}${path.includes('?') ? '&' : '?'}${query}`
  return query.size === 0 || whole.length > LONGEST_ADDRESS ? path : whole
}
