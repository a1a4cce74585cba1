import { constantTimeEqual, hmacSha256 } from '../crypto/digest.ts'
import { randomSecret } from '../crypto/random.ts'
import { ForgedPostError } from './forged-post.ts'

/**
 * The browser that a form is for: its session, or the cookie of a browser without a session. The two
 * kinds never match, so a token issued before the sign-in is refused after it.
 */
export type FormOwner =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'anonymous'; readonly id: string }

const NONCE_LENGTH = 22

/**
 * The hidden field that proves that we served the form to this browser. The new nonce in each form
 * stops an attacker who guesses the token from the size of compressed pages (BREACH).
 *
 * @see RFC 6749 §10.12
 */
export function issueFormToken(key: Uint8Array, owner: FormOwner): string {
  const nonce = randomSecret(16).toString('base64url')
  return nonce + sign(key, owner, nonce)
}

/** Throws unless `token` was issued to one of `owners`. */
export function checkFormToken(
  keys: readonly Uint8Array[],
  owners: readonly FormOwner[],
  token: string | undefined,
): void {
  if (!owners.some((owner) => isFormToken(keys, owner, token))) {
    throw new ForgedPostError(
      'This form has expired or was opened in another browser. Open the page again and resend it.',
    )
  }
}

/** Whether `token` was issued to `owner`. */
export function isFormToken(
  keys: readonly Uint8Array[],
  owner: FormOwner,
  token: string | undefined,
): boolean {
  if (token === undefined) return false
  const nonce = token.slice(0, NONCE_LENGTH)
  return keys.some((key) => constantTimeEqual(token, nonce + sign(key, owner, nonce)))
}

function sign(key: Uint8Array, owner: FormOwner, nonce: string): string {
  return hmacSha256(key, `form-token\n${owner.kind}\n${nonce}\n${owner.id}`).toString('base64url')
}
