import { parseUrl } from '../net/parse-url.ts'
import { DOCUMENTS } from '../protocol/endpoints.ts'

/**
 * Leads from any answer to what describes the origin. Relative, so it is the same at every school.
 *
 * @see RFC 8288 §3, RFC 8631 §4, RFC 9727 §3
 */
export const LINK_HEADER = {
  link: [
    `<${DOCUMENTS.guide}>; rel="service-doc"; type="text/html"`,
    `<${DOCUMENTS.openapi}>; rel="service-desc"; type="application/json"`,
    `<${DOCUMENTS.apiCatalog}>; rel="api-catalog"`,
  ].join(', '),
} as const

const MAX_LENGTH = 2000

/**
 * One slash, then visible ASCII: with `//host`, `/\host`, spaces or control characters some browser
 * goes to another site.
 */
const LOCAL = /^\/(?![/\\])[\x21-\x7e]*$/

/**
 * Encoded slashes, backslashes and control characters: harmless here, but not behind a proxy that
 * decodes them.
 */
const ENCODED_TRICK = /%(?:2f|5c|[01][0-9a-f]|7f)/i

/**
 * Returns a path and query of this origin, safe for a `Location` header; undefined for anything
 * else, so that a link to our sign-in page cannot send a person to another site (open redirect).
 *
 * @see RFC 9700 §4.11
 */
export function parseLocalPath(text: string | null | undefined): string | undefined {
  if (text === null || text === undefined || text.length > MAX_LENGTH) return undefined
  if (!LOCAL.test(text) || text.includes('\\')) return undefined
  const [path = ''] = text.split(/[?#]/)
  if (ENCODED_TRICK.test(path)) return undefined
  const base = 'http://this.invalid'
  const resolved = parseUrl(text, base)
  if (resolved?.origin !== base) return undefined
  // `/.//host` resolves to a path with two slashes: harmless here, but not if code uses that path
  // again.
  return path.includes('//') || resolved.pathname.startsWith('//') ? undefined : text
}
