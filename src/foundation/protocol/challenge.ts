import { OAuthError, wireText } from './errors.ts'
import { type ResourcePath, resourceMetadataPath } from './resource-names.ts'
import type { ScopeSet } from './scope-set.ts'

interface Challenge {
  /** The origin of the request. The token may be bound to another one. */
  readonly origin: string
  /** What was called, if it has a metadata document of its own. */
  readonly resource?: ResourcePath | undefined
  /**
   * Absent if a request without a token is no error; the challenge then only tells how to get one.
   */
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

/** Much longer than any token of ours; a longer header is not parsed. */
const MAX_LENGTH = 4096

/** RFC 6750 §2.1: the scheme in any case, spaces, one b64token. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i

/**
 * Reads an `Authorization` header; `undefined` only if there is none. Anything other than a bearer
 * token is refused, other schemes too: a client that presents credentials must not be treated as
 * anonymous.
 *
 * @see RFC 6750 §2.1
 */
export function parseBearer(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const token = header.length <= MAX_LENGTH ? BEARER.exec(header)?.[1] : undefined
  if (token === undefined) {
    throw new OAuthError(
      'invalid_token',
      'The Authorization header is malformed: send Authorization: Bearer, a space and the access token.',
    )
  }
  return token
}
