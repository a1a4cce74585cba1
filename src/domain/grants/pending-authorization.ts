import { z } from 'zod'
import { type Keyring, seal, unseal } from '../../foundation/crypto/seal.ts'
import { PENDING_AUTHORIZATION_SECONDS } from './lifetimes.ts'

/**
 * An authorization request that passed every check and waits for a person to sign in and decide. It
 * travels sealed through their browser, so that strangers cannot fill a table with requests that
 * nobody will ever finish.
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
  expires: z.number(),
})

const PURPOSE = 'pending-authorization'

export function sealPending(
  keyring: Keyring,
  schoolId: string,
  pending: PendingAuthorization,
  now: number = Date.now(),
): string {
  const expires = Math.floor(now / 1000) + PENDING_AUTHORIZATION_SECONDS
  const plain = Buffer.from(JSON.stringify({ ...pending, expires }))
  return seal(keyring.key(PURPOSE), plain, schoolId).toString('base64url')
}

/** The request, or undefined if it is forged, another school's, or too old. */
export function openPending(
  keyring: Keyring,
  schoolId: string,
  sealed: string | undefined,
  now: number = Date.now(),
): PendingAuthorization | undefined {
  if (sealed === undefined) return undefined
  const plain = unseal(keyring.key(PURPOSE), Buffer.from(sealed, 'base64url'), schoolId)
  if (plain === undefined) return undefined
  const { expires, ...pending } = schema.parse(JSON.parse(plain.toString()))
  return expires * 1000 > now ? pending : undefined
}
