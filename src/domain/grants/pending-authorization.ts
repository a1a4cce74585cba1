import { deflateRawSync, inflateRawSync } from 'node:zlib'
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

/** One spelling only: a lenient decoder would let a sealed text carry anything else along with it. */
const SEALED = /^[A-Za-z0-9_-]+$/
/** Far above what any accepted request unfolds to; we alone seal, so this guards against ourselves. */
const MAX_PLAIN_BYTES = 256 * 1024

/**
 * Compressed before it is sealed: base64 adds a third, and a request that came as a URL must leave
 * as one that is no longer, since proxies and we ourselves bound the length of URLs. Nothing in it
 * is secret from the browser that carries it, so that its length gives nothing away.
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
  // Another release sealed it: a deployment in the middle of somebody's sign-in is no error of ours.
  if (!parsed.success) return undefined
  const { expires, ...pending } = parsed.data
  return expires * 1000 > now ? pending : undefined
}
