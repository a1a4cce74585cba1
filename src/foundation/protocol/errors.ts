import { errorAddress } from '../errors/catalogue.ts'
import type { OAUTH_ERRORS } from '../errors/oauth-errors.ts'

interface Rule {
  readonly status: number
  /**
   * Whether the authorization endpoint may report it by redirect, after the redirect URI was
   * validated.
   */
  readonly redirectable: boolean
}

const byRedirect = (status: number): Rule => ({ status, redirectable: true })
const byPage = (status: number): Rule => ({ status, redirectable: false })

const RULES = {
  // RFC 6749 §4.1.2.1 and §5.2
  invalid_request: byRedirect(400),
  invalid_client: byPage(401),
  invalid_grant: byPage(400),
  unauthorized_client: byRedirect(400),
  unsupported_grant_type: byPage(400),
  unsupported_response_type: byRedirect(400),
  invalid_scope: byRedirect(400),
  access_denied: byRedirect(403),
  server_error: byRedirect(500),
  temporarily_unavailable: byRedirect(503),
  // OpenID Connect Core §3.1.2.6
  interaction_required: byRedirect(400),
  login_required: byRedirect(400),
  account_selection_required: byRedirect(400),
  consent_required: byRedirect(400),
  request_not_supported: byRedirect(400),
  request_uri_not_supported: byRedirect(400),
  registration_not_supported: byRedirect(400),
  // RFC 8707 §2
  invalid_target: byRedirect(400),
  // RFC 7009 §2.2.1
  unsupported_token_type: byPage(400),
  // RFC 7591 §3.2.2
  invalid_redirect_uri: byPage(400),
  invalid_client_metadata: byPage(400),
  // RFC 6750 §3.1
  invalid_token: byPage(401),
  insufficient_scope: byPage(403),
} as const satisfies Record<keyof typeof OAUTH_ERRORS, Rule>

export type OAuthErrorCode = keyof typeof RULES

export interface OAuthErrorDetails {
  /** For an endpoint that answers a code with another status than usual. */
  readonly status?: number
  /**
   * `false` shows the error on our own page although the code could be redirected; `true` changes
   * nothing.
   */
  readonly redirectable?: boolean
  /** Seconds after which the client may try again. */
  readonly retryAfter?: number | undefined
  /** The scopes that the request needs, for the `scope` attribute of the challenge. */
  readonly scope?: string | undefined
  /** Only for the log; never sent to the client. */
  readonly cause?: unknown
}

/** The members that JSON bodies and redirects have in common. */
export interface ErrorBody {
  readonly error: OAuthErrorCode
  readonly error_description: string
  readonly error_uri: string
}

/**
 * An error with a code of the protocol: `throw new OAuthError('invalid_grant', 'What to change.')`.
 *
 * @see RFC 6749 §5.2
 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: OAuthErrorCode
  readonly status: number
  readonly description: string
  /** A redirect also needs a `ValidatedRedirectUri`. */
  readonly redirectable: boolean
  readonly retryAfter: number | undefined
  readonly scope: string | undefined

  constructor(code: OAuthErrorCode, description: string, details: OAuthErrorDetails = {}) {
    const safe = wireText(description)
    super(`${code}: ${safe}`, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.status = details.status ?? RULES[code].status
    this.description = safe
    this.redirectable = RULES[code].redirectable && details.redirectable !== false
    this.retryAfter = details.retryAfter
    this.scope = details.scope
  }
}

/**
 * The error response's body; the same members go into an error redirect. The origin is that of the
 * school, if known.
 *
 * @see RFC 6749 §5.2 and §4.1.2.1
 */
export function errorBody(error: OAuthError, origin?: string): ErrorBody {
  const { code, description } = error
  return {
    error: code,
    error_description: description,
    error_uri: errorAddress(origin, code),
  }
}

const LONGEST_DESCRIPTION = 500

/**
 * Reduces a text to the characters an `error_description` may hold, which are also those that
 * cannot leave a quoted-string or a header line.
 *
 * @see RFC 6749 §5.2
 */
export function wireText(text: string): string {
  return text
    .slice(0, LONGEST_DESCRIPTION)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/["`]/g, "'")
    .replace(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/gu, '?')
}
