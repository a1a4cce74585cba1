import { OAuthError } from './errors.ts'

/** Much longer than any token of ours; a longer header is not parsed. */
const MAX_LENGTH = 4096

/** RFC 6750 §2.1: the scheme in any case, spaces, one b64token. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i

/**
 * Reads an `Authorization` header; `undefined` only if there is none. Anything other than a bearer token is
 * refused, other schemes too: a client that presents credentials must not be treated as anonymous.
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
