import type { ErrorBody } from './errors.ts'
import type { ValidatedRedirectUri } from './redirect-uri.ts'

/** Every response has `iss`, errors too; `state` only if the request had one. */
export type AuthorizationResponse = ({ readonly code: string } | ErrorBody) & {
  readonly state?: string | undefined
  readonly iss: string
}

/**
 * The redirect URI with the authorization response added; its own query stays as it is.
 *
 * @see RFC 6749 §4.1.2 and §3.1.2, RFC 9207 §2
 */
export function authorizationResponseUrl(
  uri: ValidatedRedirectUri,
  response: AuthorizationResponse,
): string {
  return withParameters(uri, response)
}

/**
 * Where a person continues after a sign-out that a client asked for.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §3
 */
export function postLogoutUrl(uri: ValidatedRedirectUri, state: string | undefined): string {
  return withParameters(uri, { state })
}

function withParameters(uri: string, parameters: object): string {
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) added.append(name, value)
  }
  if (added.size === 0) return uri
  // Both are legal for a space, but some native apps cannot parse the plus sign.
  return uri + joint(uri) + added.toString().replaceAll('+', '%20')
}

function joint(uri: string): string {
  if (!uri.includes('?')) return '?'
  return uri.endsWith('?') || uri.endsWith('&') ? '' : '&'
}
