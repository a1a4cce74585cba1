import type { IncomingHttpHeaders } from 'node:http'

/**
 * For how many seconds a response is fresh; undefined if the response does not say. Read like a shared cache,
 * because all clients share the stored copy.
 *
 * @see RFC 9111 §4.2.1, §5.2.2
 */
export function freshnessSeconds(
  headers: IncomingHttpHeaders,
  now: number = Date.now(),
): number | undefined {
  const directives = parseDirectives(headers['cache-control'] ?? '')
  if (['no-store', 'no-cache', 'private'].some((name) => directives.has(name))) return 0
  const declared =
    deltaSeconds(directives.get('s-maxage')) ?? deltaSeconds(directives.get('max-age'))
  const lifetime = declared ?? secondsUntilExpiry(headers, now)
  if (lifetime === undefined) return undefined
  return Math.max(0, lifetime - (deltaSeconds(headers.age) ?? 0))
}

function parseDirectives(header: string): ReadonlyMap<string, string> {
  const directives = new Map<string, string>()
  for (const part of header.split(',')) {
    const [name = '', value = ''] = part.split('=', 2)
    const key = name.trim().toLowerCase()
    // The first of two contradicting values counts (RFC 9111 §4.2.1).
    if (!directives.has(key)) directives.set(key, value.trim().replace(/^"(.*)"$/, '$1'))
  }
  return directives
}

function deltaSeconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}

function secondsUntilExpiry(headers: IncomingHttpHeaders, now: number): number | undefined {
  if (headers.expires === undefined) return undefined
  const expires = Date.parse(headers.expires)
  const date = Date.parse(headers.date ?? '')
  // An invalid date, often "0", means already expired (RFC 9111 §5.3).
  if (Number.isNaN(expires)) return 0
  return Math.max(0, Math.floor((expires - (Number.isNaN(date) ? now : date)) / 1000))
}
