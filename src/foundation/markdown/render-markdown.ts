import MarkdownIt, { type Token } from 'markdown-it'
import type { ComponentChildren } from 'preact'
import { elementOf, leafOf, type OpenElement, withoutTricks } from './markdown-element.tsx'

/**
 * Text that a school wrote, as CommonMark without raw HTML, images, reference links, underlined
 * headings and indented code. The text shares its origin with sign-in, so the parser only finds
 * tokens: we make every element ourselves, and raw HTML stays text. Headings start below the page's
 * own and never skip a level.
 */
export function Markdown({ text }: { text: string }) {
  return (
    <div class="prose" dir="auto">
      {blocksOf(text)}
    </div>
  )
}

const MAX_LENGTH = 200_000

/** Rendering recurses, so elements that are nested deeper become plain text. */
const MAX_DEPTH = 20

const parser = new MarkdownIt('commonmark', { html: false, maxNesting: MAX_DEPTH }).disable([
  'html_block',
  'html_inline',
  'reference',
  'image',
  'lheading',
  'code',
])

function blocksOf(text: string): ComponentChildren[] {
  const source = withoutTricks(text.slice(0, MAX_LENGTH).replace(/\r\n?/g, '\n'))
  const tokens = parser.parse(source, {})
  setHeadingLevels(tokens)
  return elementsOf(tokens)
}

function setHeadingLevels(tokens: readonly Token[]): void {
  let level = 1
  for (const token of tokens) {
    if (token.type !== 'heading_open') continue
    level = Math.min(Math.max(2, token.markup.length), level + 1)
    token.tag = `h${level}`
  }
}

/** Makes a tree of the parser's flat list of opening and closing tokens. */
function elementsOf(tokens: readonly Token[]): ComponentChildren[] {
  const root: ComponentChildren[] = []
  const open: OpenElement[] = []
  const add = (child: ComponentChildren) => (open.at(-1)?.children ?? root).push(child)
  let tooDeep = 0
  for (const [index, token] of tokens.entries()) {
    if (token.nesting === 1) {
      if (open.length === MAX_DEPTH) tooDeep += 1
      else open.push({ token, children: [] })
    } else if (token.nesting === -1) {
      if (tooDeep > 0) tooDeep -= 1
      else add(elementOf(open.pop()))
    } else if (token.type === 'inline') add(elementsOf(token.children ?? []))
    else add(leafOf(token, tokens[index + 1]))
  }
  return root
}
