import MarkdownIt, { type Token } from 'markdown-it'
import { parseLocalPath } from '../http/link-header.ts'
import { parseUrl } from '../net/parse-url.ts'

/**
 * The version of what `renderMarkdown` returns. Raise it with every change of the result: stored
 * HTML of an older version is never shown, and is rendered again.
 */
export const RENDERER = 2

/**
 * Text that a school wrote, as HTML: CommonMark without raw HTML, images, reference links,
 * underlined headings, indented code and quotes that go on in lines without a mark. The text shares
 * its origin with sign-in, so the parser only finds tokens: we write every tag ourselves, and raw
 * HTML stays text. Headings start below the page's own and never skip a level.
 */
export function renderMarkdown(text: string): string {
  let html = ''
  for (const piece of piecesOf(withoutTricks(text.replace(/\r\n?/g, '\n')))) {
    const tokens = parser.parse(piece, {})
    setHeadingLevels(tokens)
    html += htmlOf(tokens)
  }
  return html
}

/** A text that takes too long to render, shown as it was written. */
export function asWritten(text: string): string {
  return `<p class="as-written" dir="auto">${escaped(text)}</p>`
}

/** A page cannot be nested deeper, so elements that are become plain text. */
const MAX_DEPTH = 20

const parser = new MarkdownIt('commonmark', { html: false, maxNesting: MAX_DEPTH }).disable([
  'html_block',
  'html_inline',
  'reference',
  'image',
  'lheading',
  'code',
])

/**
 * Ends a quote at the first line without its mark. The parser would look for lines that belong to
 * the quote up to the end of the text, and find out later that they do not: a text of many short
 * quotes would take the square of its length.
 */
parser.block.ruler.push('quote_end', (_state, _line, _end, silent) => silent, {
  alt: ['blockquote'],
})

/** As long as a new text may be. Texts from before that rule are rendered piece by piece. */
export const PIECE_LENGTH = 64 * 1024

function* piecesOf(text: string): Generator<string, void, void> {
  let rest = text
  while (rest.length > PIECE_LENGTH) {
    const gap = rest.slice(0, PIECE_LENGTH).lastIndexOf('\n\n')
    const until = gap > 0 ? gap : PIECE_LENGTH
    yield rest.slice(0, until)
    rest = rest.slice(until)
  }
  yield rest
}

function setHeadingLevels(tokens: readonly Token[]): void {
  let level = 1
  for (const token of tokens) {
    if (token.type !== 'heading_open') continue
    level = Math.min(Math.max(2, token.markup.length), level + 1)
    token.tag = `h${level}`
  }
}

/** Writes the parser's flat list of opening and closing tokens, and closes what it opened. */
function htmlOf(tokens: readonly Token[]): string {
  let html = ''
  const closing: string[] = []
  let tooDeep = 0
  for (const [index, token] of tokens.entries()) {
    if (token.nesting === 1) {
      if (closing.length === MAX_DEPTH) {
        tooDeep += 1
        continue
      }
      const [start, end] = tagsOf(token)
      html += start
      closing.push(end)
    } else if (token.nesting === -1) {
      if (tooDeep > 0) tooDeep -= 1
      else html += closing.pop() ?? ''
    } else if (token.type === 'inline') html += htmlOf(token.children ?? [])
    else html += leafOf(token, tokens[index + 1])
  }
  return html
}

/**
 * Removes control characters and characters that reorder or hide the text around them. The source
 * is cleaned before it is parsed, and each text again, because `&#x202e;` becomes such a character.
 */
function withoutTricks(text: string): string {
  return text.replace(/[\0-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/g, '')
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' }

/** For text between tags and for attributes in quotation marks. */
function escaped(text: string): string {
  return withoutTricks(text).replace(/[&<"]/g, (character) => ESCAPED[character] ?? '')
}

function leafOf(token: Token, next: Token | undefined): string {
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
function tagsOf(token: Token): Tags {
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
