import type { ComponentChildren } from 'preact'
import { parseLocalPath } from '../http/local-path.ts'

// Every repetition is bounded or excludes what ends it, so that no text makes this slow.
const MARKS =
  /\\([\\`*_{}[\]()#+.!>-])|`([^`]{1,1000})`|\*\*((?:[^*]|\*(?!\*)){1,2000})\*\*|\*([^*\s](?:[^*]{0,2000}[^*\s])?)\*|(?<!\w)_([^_\s][^_]{0,2000})_(?!\w)|!?\[([^[\]]{1,500})\]\(([^()\s]{1,2000})\)|<(https?:\/\/[^<>\s]{1,2000})>|( {2,}|\\)\n/g

const MAX_DEPTH = 3

/** The words of one block, with their emphasis, code and links. */
export function MarkdownLine({ text }: { text: string }) {
  return <>{parts(text, 0)}</>
}

function parts(text: string, depth: number): ComponentChildren[] {
  if (depth > MAX_DEPTH) return [text]
  const found: ComponentChildren[] = []
  let from = 0
  for (const match of text.matchAll(MARKS)) {
    found.push(text.slice(from, match.index), element(match, depth))
    from = match.index + match[0].length
  }
  found.push(text.slice(from))
  return found
}

function element(match: RegExpMatchArray, depth: number): ComponentChildren {
  const [whole, escaped, code, strong, star, underscore, label, target, address, lineBreak] = match
  if (escaped !== undefined) return escaped
  if (code !== undefined) return <code dir="ltr">{code}</code>
  if (strong !== undefined) return <strong>{parts(strong, depth + 1)}</strong>
  const soft = star ?? underscore
  if (soft !== undefined) return <em>{parts(soft, depth + 1)}</em>
  if (label !== undefined && target !== undefined) {
    return <Link target={target}>{parts(label, depth + 1)}</Link>
  }
  if (address !== undefined) return <Link target={address}>{address}</Link>
  return lineBreak === undefined ? whole : <br />
}

/** Leads to the web, to a mailbox or to a page here; anything else is only its words. */
function Link({ target, children }: { target: string; children: ComponentChildren }) {
  const href = parseLocalPath(target) ?? foreignAddress(target)
  if (href === undefined) return <>{children}</>
  return (
    <a href={href} rel="nofollow noopener">
      {children}
    </a>
  )
}

function foreignAddress(target: string): string | undefined {
  if (!URL.canParse(target)) return undefined
  const { protocol, href } = new URL(target)
  return ['https:', 'http:', 'mailto:'].includes(protocol) ? href : undefined
}
