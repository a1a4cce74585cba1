declare const validated: unique symbol

/**
 * A redirect URI that a client registered and this request presented. Only the two functions below make one, so no
 * code can redirect a browser to a URI that was not validated.
 */
export type ValidatedRedirectUri = string & { readonly [validated]: true }

/** A pattern on the text: a URL parser would repair URIs that must be refused. */
const LOOPBACK = /^(https?):\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9][0-9]{0,4}))?([/?].*)?$/

/**
 * Finds the registered URI that allows the presented one.
 *
 * @see RFC 6749 §3.1.2.3 and RFC 9700 §2.1
 */
export function findRedirectUri(
  registered: readonly string[],
  presented: string,
): ValidatedRedirectUri | undefined {
  // RFC 6749 §3.1.2: parameters added after a fragment would become part of the fragment.
  if (presented.includes('#')) return undefined
  return registered.some((uri) => matchesRedirectUri(uri, presented))
    ? (presented as ValidatedRedirectUri)
    : undefined
}

/**
 * The same after a sign-out, where nothing may differ, not even the port of loopback.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §3
 */
export function findPostLogoutRedirectUri(
  registered: readonly string[],
  presented: string,
): ValidatedRedirectUri | undefined {
  return registered.includes(presented) ? (presented as ValidatedRedirectUri) : undefined
}

/**
 * Whether two redirect URIs are the same string, or the same plain-http loopback address with another port: a
 * native app gets its port from the system only when it starts to listen.
 *
 * @see RFC 8252 §7.3 and RFC 9700 §4.1.3
 */
export function matchesRedirectUri(registered: string, presented: string): boolean {
  if (registered === presented) return true
  const known = parseLoopback(registered)
  const asked = parseLoopback(presented)
  return (
    known !== undefined &&
    asked !== undefined &&
    known.scheme === 'http' &&
    asked.scheme === 'http' &&
    known.host === asked.host &&
    known.rest === asked.rest
  )
}

/**
 * Whether a redirect URI leads to the user's own computer.
 *
 * @see RFC 8252 §7.3 and §8.3
 */
export function isLoopback(uri: string): boolean {
  return parseLoopback(uri) !== undefined
}

function parseLoopback(uri: string) {
  const match = LOOPBACK.exec(uri)
  if (match === null || Number(match[3] ?? 80) > 65535) return undefined
  return { scheme: match[1], host: match[2], rest: match[4] ?? '' }
}
