const MAX_LENGTH = 2000

/** One slash, then visible ASCII: `//host`, `/\host`, spaces and controls all lead elsewhere in some browser. */
const LOCAL = /^\/(?![/\\])[\x21-\x7e]*$/

/** Encoded slashes, backslashes and controls mean nothing to us, and something to proxies that decode. */
const ENCODED_TRICK = /%(?:2f|5c|[01][0-9a-f]|7f)/i

/**
 * A path and query of this very origin, fit for a `Location`; undefined for everything else, so
 * that a link to our sign-in can never be used to send somebody to another site.
 *
 * @see RFC 9700 §4.11
 */
export function parseLocalPath(text: string | null | undefined): string | undefined {
  if (text === null || text === undefined || text.length > MAX_LENGTH) return undefined
  if (!LOCAL.test(text) || text.includes('\\')) return undefined
  const [path = ''] = text.split(/[?#]/)
  if (ENCODED_TRICK.test(path)) return undefined
  const base = 'http://this.invalid'
  if (!URL.canParse(text, base)) return undefined
  const resolved = new URL(text, base)
  if (resolved.origin !== base) return undefined
  // `/.//host` resolves to a path of two slashes: harmless here, but not once somebody reuses it.
  return path.includes('//') || resolved.pathname.startsWith('//') ? undefined : text
}
