import { type OAuthError, wireText } from './errors.ts'
import { type ResourcePath, resourceMetadataPath } from './resource-names.ts'
import type { ScopeSet } from './scope-set.ts'

interface Challenge {
  /** The origin of the request. The token may be bound to another one. */
  readonly origin: string
  /** What was called, if it has a metadata document of its own. */
  readonly resource?: ResourcePath | undefined
  /** Absent if a request without a token is no error; the challenge then only tells how to get one. */
  readonly error?: OAuthError | undefined
  /** All scopes that the request needs; by default those of the error. */
  readonly scope?: ScopeSet | undefined
}

/**
 * The `WWW-Authenticate` value that tells a client where to find out how to get a token.
 *
 * @see RFC 6750 §3 and RFC 9728 §5.1
 */
export function bearerChallenge({ origin, resource = '', error, scope }: Challenge): string {
  const attributes = [
    ['resource_metadata', origin + resourceMetadataPath(resource)],
    ['error', error?.code],
    ['error_description', error?.description],
    ['scope', scope?.toString() ?? error?.scope],
  ] as const
  return `Bearer ${attributes.flatMap(([name, value]) => attribute(name, value)).join(', ')}`
}

/** A quote or a line break in a value could add attributes or headers. */
function attribute(name: string, value: string | undefined): string[] {
  return value === undefined || value === '' ? [] : [`${name}="${wireText(value)}"`]
}
