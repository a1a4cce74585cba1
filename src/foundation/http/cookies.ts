import { constantTimeEqual, hmacSha256 } from '../crypto/digest.ts'
import { randomSecret } from '../crypto/random.ts'
import { ForgedPostError } from './cross-origin.ts'

// RFC 6265 §4.1.1: the characters of a cookie value. We write base64url only.
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,4096}$/
const HEADER_LIMIT = 16 * 1024

/**
 * The cookie of the browser session. Its prefix decides what the browser guarantees: see
 * `cookieName`.
 */
export function sessionCookieName(origin: string): string {
  return cookieName(origin, 'schoolgate')
}

/** The cookie that form tokens are bound to before the sign-in. */
export function anonymousCookieName(origin: string): string {
  return cookieName(origin, 'schoolgate-form')
}

/** The cookie by which a browser is known to have signed in before. */
export function deviceCookieName(origin: string): string {
  return cookieName(origin, 'schoolgate-device')
}

/** The cookie of a browser in which a person does not type a code at each sign-in. */
export function trustCookieName(origin: string): string {
  return cookieName(origin, 'schoolgate-trust')
}

/** The cookie that carries a new client secret to the one page that shows it. */
export function secretCookieName(origin: string): string {
  return cookieName(origin, 'schoolgate-secret')
}

/**
 * Finds one cookie. Two different values for one name mean that another site on this host or on a
 * parent domain set one of them. The header does not say which, so both are ignored.
 *
 * @see RFC 6265 §5.4, §8.6
 */
export function findCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > HEADER_LIMIT) return undefined
  let found: string | undefined
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals === -1 || withoutBlanks(pair.slice(0, equals)) !== name) continue
    const value = withoutBlanks(pair.slice(equals + 1))
    if (found !== undefined && found !== value) return undefined
    found = value
  }
  return found !== undefined && COOKIE_VALUE.test(found) ? found : undefined
}

/**
 * Removes only what RFC 6265 calls white space. `trim()` also removes a no-break space, and for a
 * browser a name that begins with one has no `__Host-` prefix: a sibling subdomain could set that
 * cookie.
 */
function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isBlank(text[start])) start += 1
  while (end > start && isBlank(text[end - 1])) end -= 1
  return text.slice(start, end)
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

/**
 * A `Set-Cookie` value. With `SameSite=Lax` the browser does not send the cookie with cross-site
 * posts, but sends it when a client redirects a person to the authorization endpoint. Without
 * `maxAgeSeconds` the cookie ends when the browser closes.
 *
 * @see RFC 6265 §4.1
 */
export function serializeCookie(
  origin: string,
  name: string,
  value: string,
  maxAgeSeconds?: number,
): string {
  if (!COOKIE_VALUE.test(value)) {
    throw new RangeError(`The value of cookie ${name} has characters that a cookie must not have.`)
  }
  return `${name}=${value}${attributes(origin, maxAgeSeconds)}`
}

/**
 * The longest that browsers keep a cookie, for one whose row says when it ends: that may be later
 * than it was planned, because the school was suspended meanwhile.
 */
export const LONGEST_COOKIE_SECONDS = 400 * 24 * 60 * 60

/** A `Set-Cookie` value that makes the browser delete the cookie. */
export function serializeExpiredCookie(origin: string, name: string): string {
  return `${name}=${attributes(origin, 0)}`
}

function attributes(origin: string, maxAgeSeconds: number | undefined): string {
  const secure = isSecure(origin) ? '; Secure' : ''
  const maxAge = maxAgeSeconds === undefined ? '' : `; Max-Age=${Math.floor(maxAgeSeconds)}`
  return `; Path=/; HttpOnly; SameSite=Lax${secure}${maxAge}`
}

/**
 * A sibling subdomain or a plain http page cannot set a `__Host-` cookie, but the prefix needs
 * https. Without https the name contains the port: cookies ignore ports, so two servers on
 * localhost would share one cookie.
 */
function cookieName(origin: string, base: string): string {
  return isSecure(origin) ? `__Host-${base}` : `${base}-${new URL(origin).port || '80'}`
}

function isSecure(origin: string): boolean {
  return origin.startsWith('https://')
}

/**
 * The browser that a form is for: its session, or the cookie of a browser without a session. The
 * two kinds never match, so a token issued before the sign-in is refused after it.
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
