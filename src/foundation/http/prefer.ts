import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether the caller would rather be told where the work goes on than wait for it. Unknown preferences are ignored.
 *
 * @see RFC 7240 §2 and §4.1
 */
export function prefersAsync(headers: IncomingHttpHeaders): boolean {
  const given = headers.prefer
  const text = Array.isArray(given) ? given.join(',') : (given ?? '')
  return text.split(',').some((part) => {
    const [name = ''] = part.split(';')
    return name.trim().toLowerCase() === 'respond-async'
  })
}
