import { sha256 } from '../crypto/digest.ts'
import { OAuthError } from './errors.ts'

/** 43 to 128 unreserved characters (RFC 7636 §4.1). */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/

/**
 * 32 bytes in base64url. The last character carries only four bits of them, so only sixteen
 * characters can stand there; any other challenge could never be met.
 */
const CHALLENGE = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/

/**
 * Refuses an authorization request whose challenge is missing, is not S256 or is malformed.
 *
 * @see RFC 7636 §4.3 and §4.4.1
 */
export function checkChallenge(
  challenge: string | undefined,
  method: string | undefined,
): asserts challenge is string {
  if (challenge === undefined) {
    throw new OAuthError(
      'invalid_request',
      'code_challenge is missing: every authorization uses PKCE with the method S256.',
    )
  }
  if (method === undefined) {
    // A missing method means plain, which protects nothing if an attacker sees the request.
    throw new OAuthError(
      'invalid_request',
      'code_challenge_method is missing, which means plain: send code_challenge_method=S256.',
    )
  }
  if (method !== 'S256') {
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256.')
  }
  if (!CHALLENGE.test(challenge)) {
    throw new OAuthError(
      'invalid_request',
      'code_challenge must be the base64url form, without padding, of the SHA-256 of code_verifier: 43 characters.',
    )
  }
}

/**
 * The S256 challenge of a verifier; undefined if the text is not a valid verifier.
 *
 * @see RFC 7636 §4.1 and §4.2
 */
export function challengeOf(verifier: string): string | undefined {
  return VERIFIER.test(verifier) ? sha256(verifier).toString('base64url') : undefined
}

/**
 * The error for a verifier that does not match the challenge. Only the log gets the reason.
 *
 * @see RFC 7636 §4.6
 */
export function wrongVerifier(verifier: string | undefined): OAuthError {
  const reason =
    challengeOf(verifier ?? '') === undefined
      ? 'code_verifier is not 43 to 128 unreserved characters'
      : 'code_verifier hashes to another challenge'
  return new OAuthError(
    'invalid_grant',
    'code_verifier does not match the code_challenge of the authorization request.',
    { cause: new Error(reason) },
  )
}
