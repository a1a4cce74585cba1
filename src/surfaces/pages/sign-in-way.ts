import { openPending } from '../../domain/grants/pending-authorization.ts'
import type { Keyring } from '../../foundation/crypto/seal.ts'
import { parseLocalPath } from '../../foundation/http/local-path.ts'

/** A longer address would be refused; then the way is lost, and the app asks again. */
const LONGEST = 8000

/** Where somebody goes on to once they are signed in. */
export interface SignInWay {
  /** The authorization that waits, sealed. */
  readonly request?: string | undefined
  /** A page of ours. */
  readonly returnTo?: string | undefined
}

/** The way that an address or a form tells; what is no way of ours is left out. */
export function readWay(keyring: Keyring, schoolId: string, fields: URLSearchParams): SignInWay {
  const sealed = fields.get('request') ?? undefined
  const pending = openPending(keyring, schoolId, sealed)
  return {
    request: pending === undefined ? undefined : sealed,
    returnTo: parseLocalPath(fields.get('return_to')),
  }
}

/** A page before sign-in, with the way kept for whoever comes to it. */
export function withWay(path: string, way: SignInWay): string {
  const query = new URLSearchParams()
  if (way.request !== undefined) query.set('request', way.request)
  if (way.returnTo !== undefined) query.set('return_to', way.returnTo)
  const whole = `${path}${path.includes('?') ? '&' : '?'}${query}`
  return query.size === 0 || whole.length > LONGEST ? path : whole
}
