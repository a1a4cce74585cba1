/**
 * The query exactly as the client sent it, without `?`. Fastify's parser merges repeated parameters,
 * but OAuth must see and refuse them.
 *
 * @see RFC 6749 §3.1
 */
export function rawQuery(url: string): string {
  const end = url.indexOf('#')
  const start = url.indexOf('?')
  if (start === -1 || (end !== -1 && end < start)) return ''
  return url.slice(start + 1, end === -1 ? undefined : end)
}

/** Only the path: query and fragment may hold codes, tokens and email addresses. */
export function rawPath(url: string): string {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  const fragment = path.indexOf('#')
  return fragment === -1 ? path : path.slice(0, fragment)
}
