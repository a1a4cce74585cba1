import { type ErrorBody, OAuthError } from './errors.ts'
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

const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const

export type Prompt = (typeof PROMPTS)[number]

/** 68 years: long enough to mean "any time", and in range of every clock. */
const LONGEST_MAX_AGE = 2 ** 31 - 1

/**
 * Reads `prompt`. An unsupported value is refused, because the client could not see that it was
 * ignored.
 *
 * @see OpenID Connect Core 1.0 §3.1.2.1
 */
export function parsePrompt(value: string | undefined): ReadonlySet<Prompt> {
  const prompts = new Set<Prompt>()
  for (const word of (value ?? '').split(' ')) {
    if (word === '') continue
    const prompt = PROMPTS.find((known) => known === word)
    if (prompt === undefined) {
      throw new OAuthError(
        'invalid_request',
        'prompt may be none, login, consent and select_account; send one of them or leave it out.',
      )
    }
    prompts.add(prompt)
  }
  if (prompts.has('none') && prompts.size > 1) {
    throw new OAuthError('invalid_request', 'prompt=none cannot be combined with another prompt.')
  }
  return prompts
}

/**
 * Reads `max_age`, the number of seconds since the last sign-in that the client still accepts.
 *
 * @see OpenID Connect Core 1.0 §3.1.2.1
 */
export function parseMaxAge(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (!/^[0-9]+$/.test(value)) {
    throw new OAuthError('invalid_request', 'max_age must be a whole number of seconds, 0 or more.')
  }
  return Math.min(Number(value), LONGEST_MAX_AGE)
}
