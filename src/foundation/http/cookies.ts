// RFC 6265 §4.1.1: what a cookie value may consist of. We only ever write base64url.
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,4096}$/
const HEADER_LIMIT = 16 * 1024

/** The cookie of the browser session; its name says what the browser guarantees about it. */
export function sessionCookieName(origin: string): string {
  return cookieName(origin, 'schoolgate')
}

/** The cookie that anti-forgery tokens are bound to before anybody signed in. */
export function anonymousCookieName(origin: string): string {
  return cookieName(origin, 'schoolgate-form')
}

/** The cookie that takes a new client secret to the one page that shows it. */
export function secretCookieName(origin: string): string {
  return cookieName(origin, 'schoolgate-secret')
}

/**
 * Finds one cookie. Two different values under one name mean that somebody else on this host or a
 * parent domain planted one of them, and nothing tells which, so neither counts.
 *
 * @see RFC 6265 §5.4, §8.6
 */
export function findCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > HEADER_LIMIT) return undefined
  let found: string | undefined
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals === -1 || pair.slice(0, equals).trim() !== name) continue
    const value = pair.slice(equals + 1).trim()
    if (found !== undefined && found !== value) return undefined
    found = value
  }
  return found !== undefined && COOKIE_VALUE.test(found) ? found : undefined
}

/**
 * A `Set-Cookie` value. Lax keeps the cookie from cross-site posts and still sends it when a client
 * redirects somebody to the authorization endpoint. Without `maxAge` it ends with the browser.
 *
 * @see RFC 6265 §4.1
 */
export function serializeCookie(
  origin: string,
  name: string,
  value: string,
  maxAgeSeconds?: number,
): string {
  if (!COOKIE_VALUE.test(value)) throw new RangeError(`The value of cookie ${name} is not plain.`)
  return `${name}=${value}${attributes(origin, maxAgeSeconds)}`
}

/** A `Set-Cookie` value that makes the browser forget the cookie. */
export function serializeExpiredCookie(origin: string, name: string): string {
  return `${name}=${attributes(origin, 0)}`
}

function attributes(origin: string, maxAgeSeconds: number | undefined): string {
  const secure = isSecure(origin) ? '; Secure' : ''
  const maxAge = maxAgeSeconds === undefined ? '' : `; Max-Age=${Math.floor(maxAgeSeconds)}`
  return `; Path=/; HttpOnly; SameSite=Lax${secure}${maxAge}`
}

/**
 * `__Host-` cannot be set by a sibling subdomain or over plain http, but needs https. Without it
 * the port is named, since cookies ignore ports and two servers on localhost would share one.
 */
function cookieName(origin: string, base: string): string {
  return isSecure(origin) ? `__Host-${base}` : `${base}-${new URL(origin).port || '80'}`
}

function isSecure(origin: string): boolean {
  return origin.startsWith('https://')
}
