import { parseUrl } from '../net/parse-url.ts'

declare const validated: unique symbol

/**
 * A redirect URI that a client registered and this request presented. Only the two functions below
 * make one, so no code can redirect a browser to a URI that was not validated.
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
 * The redirect URI after a sign-out: nothing may differ, not even the port of loopback.
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
 * Whether two redirect URIs are the same string, or the same plain-http loopback address with
 * another port: a native app gets its port from the system only when it starts to listen.
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

const MAX_LENGTH = 2000

/** RFC 3986 §2: all characters that a URI may contain. */
const URI_CHARACTERS = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/

/** RFC 3986 Appendix B, with the scheme's own syntax: scheme, authority, path, query, fragment. */
const URI_PARTS = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(#[\s\S]*)?$/

/** RFC 8252 §7.1: an app's own scheme is a domain it controls, backwards. */
const REVERSE_DOMAIN = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+$/

/**
 * Schemes of widely used native apps that are no domain. All others without a dot are refused: any
 * program may claim such a scheme, and systems pass some of them to programs that act on them.
 */
const KNOWN_NATIVE_SCHEMES: ReadonlySet<string> = new Set([
  'claude',
  'cursor',
  'vscode',
  'vscode-insiders',
  'windsurf',
  'zed',
])

const HOST =
  /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:]+\])$/

/** What follows the slashes of an app's own scheme is a name for the app, not a host to reach. */
const APP_HOST = /^[A-Za-z0-9._-]*$/

/**
 * Parameters of an authorization response. If the URI has one already, a client could read that
 * one.
 */
const RESPONSE_PARAMETERS: ReadonlySet<string> = new Set([
  'code',
  'error',
  'error_description',
  'error_uri',
  'iss',
  'state',
])

interface UriParts {
  readonly scheme: string
  readonly authority: string | undefined
  readonly path: string
  readonly query: string | undefined
  readonly fragment: string | undefined
}

/**
 * The reasons why a redirect URI cannot be registered; empty if it can.
 *
 * @see RFC 6749 §3.1.2, RFC 8252 §7 and §8.4, RFC 9700 §2.6 and §4.1.3
 */
export function redirectUriProblems(
  uri: string,
  { confidential }: { readonly confidential: boolean },
): string[] {
  if (uri.length > MAX_LENGTH) return [`Use at most ${MAX_LENGTH} characters.`]
  if (!URI_CHARACTERS.test(uri)) {
    return [
      'Use only the characters of a web address: no spaces, no line breaks, no letters with accents.',
    ]
  }
  const parts = splitUri(uri)
  if (parts === undefined) {
    return ['Write the whole address, such as https://app.example/callback.']
  }
  return [
    ...schemeProblems(uri, parts, confidential),
    ...authorityProblems(parts),
    ...pathProblems(parts),
    ...queryProblems(parts),
    ...(parts.fragment === undefined ? [] : ['Remove the # and what follows it.']),
    ...(uri.includes('*') ? ['Remove the *: addresses are compared letter by letter.'] : []),
    ...encodingProblems(uri),
  ]
}

function splitUri(uri: string): UriParts | undefined {
  const match = URI_PARTS.exec(uri)
  if (match === null) return undefined
  const [, scheme = '', authority, path = '', query, fragment] = match
  return { scheme, authority, path, query, fragment }
}

function schemeProblems(uri: string, { scheme }: UriParts, confidential: boolean): string[] {
  if (scheme !== scheme.toLowerCase()) return ['Write the part before the colon in lower case.']
  if (scheme === 'https') return []
  if (scheme === 'http') {
    return isLoopback(uri)
      ? []
      : [
          'Use https. Plain http is only for apps on the own computer: http://127.0.0.1, http://[::1] or http://localhost.',
        ]
  }
  if (!REVERSE_DOMAIN.test(scheme) && !KNOWN_NATIVE_SCHEMES.has(scheme)) {
    return [
      `Use https, or an app's own scheme: a domain backwards, such as com.example.app:/callback, or one of ${[...KNOWN_NATIVE_SCHEMES].join(', ')}.`,
    ]
  }
  if (confidential) {
    return [
      "Use https: an app with a scheme of its own runs on people's devices and cannot keep a secret.",
    ]
  }
  return uri.startsWith(`${scheme}:/`)
    ? []
    : ['Write a slash after the colon, as in com.example.app:/callback.']
}

function authorityProblems({ scheme, authority }: UriParts): string[] {
  if (authority?.includes('@')) return ['Remove the user name and the @ before the host.']
  if (scheme !== 'https' && scheme !== 'http') {
    return APP_HOST.test(authority ?? '')
      ? []
      : ['After the two slashes, use only letters, digits, dots, hyphens and underscores.']
  }
  const match = /^(.*?)(?::([1-9][0-9]{0,4}))?$/.exec(authority ?? '')
  const [, host = '', port = '443'] = match ?? []
  if (Number(port) > 65535) return ['Use a port between 1 and 65535.']
  // A browser reads 0x7f.1 as 127.0.0.1, so the operator would approve another host than the one
  // used.
  if (!HOST.test(host) || parseUrl(`https://${host}/`)?.hostname !== host) {
    return ['Write the host as a plain name in lower case, such as app.example.']
  }
  return []
}

function pathProblems({ path }: UriParts): string[] {
  if (/%2e|%2f|%5c/i.test(path))
    return ['Write dots and slashes in the path as they are, not with %.']
  return path.split('/').some((segment) => segment === '.' || segment === '..')
    ? ['Remove the . and .. segments from the path.']
    : []
}

function queryProblems({ query }: UriParts): string[] {
  const taken = [...new URLSearchParams(query ?? '').keys()].find((name) =>
    RESPONSE_PARAMETERS.has(name),
  )
  return taken === undefined
    ? []
    : [`Remove ${taken} from the query: the answer to an authorization request uses that name.`]
}

function encodingProblems(uri: string): string[] {
  if (/%(?![0-9A-Fa-f]{2})/.test(uri)) return ['Write two hexadecimal digits after each %.']
  return /%(?:[01][0-9A-F]|7F)/i.test(uri) ? ['Remove the encoded control characters.'] : []
}
