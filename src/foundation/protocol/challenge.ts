import { type OAuthError, wireText } from './errors.ts'
import type { ScopeSet } from './scope-set.ts'

interface Challenge {
  /** The origin that was called, which need not be the one the token is bound to. */
  readonly origin: string
  /** Left out where coming without a token is no mistake, and the challenge is an invitation. */
  readonly error?: OAuthError | undefined
  /** Every scope that the call needs; what the error itself says is the default. */
  readonly scope?: ScopeSet | undefined
}

/**
 * The `WWW-Authenticate` value that tells a client where to learn how to get a token.
 *
 * @see RFC 6750 §3 and RFC 9728 §5.1
 */
export function bearerChallenge({ origin, error, scope }: Challenge): string {
  const attributes = [
    ['resource_metadata', `${origin}/.well-known/oauth-protected-resource`],
    ['error', error?.code],
    ['error_description', error?.description],
    ['scope', scope?.toString() ?? error?.scope],
  ] as const
  return `Bearer ${attributes.flatMap(([name, value]) => attribute(name, value)).join(', ')}`
}

/** A quote or a line break in a value would let its author add attributes or headers. */
function attribute(name: string, value: string | undefined): string[] {
  return value === undefined || value === '' ? [] : [`${name}="${wireText(value)}"`]
}
