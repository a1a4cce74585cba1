import type { ComponentChildren } from 'preact'
import { parseUrl } from '../net/parse-url.ts'

const ADDRESS = /https?:\/\/[^\s<>"]+/gi
/** Ends a sentence, and not an address. */
const CLOSING = new Set(".,;:!?'”’)]}»…")

/**
 * A text with its addresses as links. What the reader sees of a link begins with where it leads:
 * letters that look like others, and a name before an @, are not taken for a host.
 */
export function withLinks(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = []
  let end = 0
  for (const { 0: match, index } of text.matchAll(ADDRESS)) {
    let length = match.length
    while (CLOSING.has(match.charAt(length - 1))) length -= 1
    const written = match.slice(0, length)
    const url = parseUrl(written)
    if (url === undefined || url.username !== '' || url.password !== '') continue
    const isPlain = written.toLowerCase().startsWith(url.origin)
    parts.push(
      text.slice(end, index),
      <a class="address" href={url.href} rel="nofollow ugc noopener" dir="ltr">
        {isPlain ? written : url.href}
      </a>,
    )
    end = index + length
  }
  return [...parts, text.slice(end)]
}
