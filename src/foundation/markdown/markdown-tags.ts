import type { Token } from 'markdown-it'
import { parseLocalPath } from '../http/local-path.ts'
import { parseUrl } from '../net/parse-url.ts'

/**
 * Removes control characters and characters that reorder or hide the text around them. The source
 * is cleaned before it is parsed, and each text again, because `&#x202e;` becomes such a character.
 */
export function withoutTricks(text: string): string {
  return text.replace(/[\0-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/g, '')
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' }

/** For text between tags and for attributes in quotation marks. */
export function escaped(text: string): string {
  return withoutTricks(text).replace(/[&<"]/g, (character) => ESCAPED[character] ?? '')
}

export function leafOf(token: Token, next: Token | undefined): string {
  switch (token.type) {
    case 'code_inline':
      return `<code dir="ltr">${escaped(token.content)}</code>`
    case 'fence':
      return `<pre class="code" dir="ltr"><code>${escaped(token.content.replace(/\n$/, ''))}</code></pre>`
    case 'softbreak':
      return '\n'
    case 'hardbreak':
      return '<br/>'
    case 'hr':
      return '<hr/>'
    default:
      return escaped(isImageMark(token, next) ? token.content.slice(0, -1) : token.content)
  }
}

/** An image would tell its host who reads the page, so `![label](address)` becomes a link. */
function isImageMark(token: Token, next: Token | undefined): boolean {
  return token.content.endsWith('!') && next?.type === 'link_open' && next.markup === ''
}

type Tags = readonly [start: string, end: string]

const ELEMENTS: Readonly<Record<string, string>> = {
  bullet_list_open: 'ul',
  list_item_open: 'li',
  blockquote_open: 'blockquote',
  strong_open: 'strong',
  em_open: 'em',
}

/** The tags of an element; none for what is shown without one. */
export function tagsOf(token: Token): Tags {
  switch (token.type) {
    case 'paragraph_open':
      // The parser hides the paragraphs of a list without empty lines.
      return token.hidden ? NO_TAGS : element('p')
    case 'heading_open':
      return element(token.tag)
    case 'ordered_list_open':
      return element('ol', startOf(token))
    case 'link_open':
      return linkTo(String(token.attrGet('href') ?? ''))
    default: {
      const name = ELEMENTS[token.type]
      return name === undefined ? NO_TAGS : element(name)
    }
  }
}

const NO_TAGS: Tags = ['', '']

function element(name: string, attributes = ''): Tags {
  return [`<${name}${attributes}>`, `</${name}>`]
}

function startOf(list: Token): string {
  const start = list.attrGet('start')
  return start === null ? '' : ` start="${Number(start)}"`
}

/** Links lead to the web, to a mailbox or to a page of this origin; others are shown as text. */
function linkTo(target: string): Tags {
  const href = parseLocalPath(target) ?? webAddress(target)
  if (href === undefined) return NO_TAGS
  return element('a', ` href="${escaped(href)}" rel="nofollow noopener"`)
}

function webAddress(target: string): string | undefined {
  return /^(?:https?|mailto):/i.test(target) ? parseUrl(target)?.href : undefined
}
