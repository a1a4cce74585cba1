import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { z } from 'zod'
import { type Keyring, seal, unseal } from '../../foundation/crypto/seal.ts'
import { PENDING_AUTHORIZATION_SECONDS } from './lifetimes.ts'

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

/** Only base64url: a lenient decoder would accept a sealed text with other text appended. */
const SEALED = /^[A-Za-z0-9_-]+$/
/** Far above the size of any accepted request. Only we can seal, so this is a guard against our own mistakes. */
const MAX_PLAIN_BYTES = 256 * 1024

/**
 * Compressed before it is sealed: base64 adds a third, and proxies and this server limit the length
 * of a URL. The browser that carries it sent all of it, so its compressed length reveals no secret.
 */
export function sealPending(
  keyring: Keyring,
  schoolId: string,
  pending: PendingAuthorization,
  now: number = Date.now(),
): string {
  const expires = Math.floor(now / 1000) + PENDING_AUTHORIZATION_SECONDS
  const plain = deflateRawSync(JSON.stringify({ ...pending, expires }))
  return seal(keyring.key(PURPOSE), plain, schoolId).toString('base64url')
}

/** The request, or undefined if it is forged, another school's, or too old. */
export function openPending(
  keyring: Keyring,
  schoolId: string,
  sealedRequest: string | undefined,
  now: number = Date.now(),
): PendingAuthorization | undefined {
  if (sealedRequest === undefined || !SEALED.test(sealedRequest)) return undefined
  const plain = unseal(keyring.key(PURPOSE), Buffer.from(sealedRequest, 'base64url'), schoolId)
  if (plain === undefined) return undefined
  const text = inflateRawSync(plain, { maxOutputLength: MAX_PLAIN_BYTES }).toString()
  const parsed = schema.safeParse(JSON.parse(text))
  // Sealed by another release, which was replaced while the person signed in: treat it as expired.
  if (!parsed.success) return undefined
  const { expires, ...pending } = parsed.data
  return expires * 1000 > now ? pending : undefined
}
