import { z } from 'zod'
import { type Keyring, openMessage, sealMessage } from '../../foundation/crypto/seal.ts'
import { PENDING_AUTHORIZATION_SECONDS } from './token-pair.ts'

/**
 * An authorization request that passed every check and waits for a person to sign in and decide. It
 * travels sealed through the browser, so that strangers cannot fill a table with requests that stay
 * unfinished.
 */
export interface PendingAuthorization {
  readonly clientId: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly resource?: string | undefined
  readonly codeChallenge: string
  readonly state?: string | undefined
  readonly nonce?: string | undefined
  readonly loginHint?: string | undefined
  /** Seconds since the epoch: the person must have typed their password after this. */
  readonly signInAfter?: number | undefined
  /** The values of `acr_values` that we know; undefined if the client sent none. */
  readonly acrValues?: readonly string[] | undefined
  /** The person was sent to sign-in once more to reach one of them: that is not asked twice. */
  readonly acrAsked?: boolean | undefined
}

const schema = z.object({
  clientId: z.string(),
  redirectUri: z.string(),
  scopes: z.array(z.string()),
  resource: z.string().optional(),
  codeChallenge: z.string(),
  state: z.string().optional(),
  nonce: z.string().optional(),
  loginHint: z.string().optional(),
  signInAfter: z.number().optional(),
  acrValues: z.array(z.string()).optional(),
  acrAsked: z.boolean().optional(),
})

const PURPOSE = 'pending-authorization'

export function sealPending(
  keyring: Keyring,
  schoolId: string,
  pending: PendingAuthorization,
  now: number = Date.now(),
): string {
  const expiresAt = now + PENDING_AUTHORIZATION_SECONDS * 1000
  return sealMessage(keyring, PURPOSE, schoolId, pending, expiresAt)
}

/** The request, or undefined if it is forged, another school's, or too old. */
export function openPending(
  keyring: Keyring,
  schoolId: string,
  sealedRequest: string | undefined,
  now: number = Date.now(),
): PendingAuthorization | undefined {
  const opened = openMessage(keyring, PURPOSE, schoolId, sealedRequest, now)
  // Sealed by another release, which was replaced while the person signed in: treat it as expired.
  return schema.safeParse(opened).data
}
