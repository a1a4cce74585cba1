import type { ComponentChildren, VNode } from 'preact'
import { MarkdownLine } from './markdown-line.tsx'

/**
 * Text that a school wrote, as Markdown: headings, paragraphs, lists, quotes, code and links. It
 * shares its origin with sign-in, so it becomes elements of ours and nothing else; raw HTML in it
 * stays text. Headings start below the page's own and never skip a level.
 */
export function Markdown({ text }: { text: string }) {
  return (
    <div class="prose" dir="auto">
      {blocksOf(text.slice(0, MAX_LENGTH))}
    </div>
  )
}

const MAX_LENGTH = 200_000

// Controls, and what reorders or hides the letters around it.
const TRICKS = /[\0-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/g

const HEADING = /^(#{1,6}) +(.+?)(?: +#+)? *$/
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,}) *$/
const FENCE = /^ {0,3}```/
const QUOTE = /^ {0,3}> ?/
const BULLET = /^ {0,3}[-*+] +/
const NUMBER = /^ {0,3}\d{1,9}[.)] +/

function blocksOf(text: string): VNode[] {
  const lines = text.replace(/\r\n?/g, '\n').replace(TRICKS, '').split('\n')
  const blocks: VNode[] = []
  let heading = 1
  let at = 0
  /** Takes the lines from here that satisfy `wanted`. */
  const take = (wanted: (line: string) => boolean): string[] => {
    const from = at
    while (at < lines.length && wanted(lines[at] ?? '')) at++
    return lines.slice(from, at)
  }
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const title = HEADING.exec(line)
    if (line.trim() === '') at++
    else if (title !== null) {
      heading = Math.min(Math.max(2, title[1]?.length ?? 2), heading + 1)
      blocks.push(<Heading level={heading}>{title[2] ?? ''}</Heading>)
      at++
    } else if (RULE.test(line)) {
      blocks.push(<hr />)
      at++
    } else if (FENCE.test(line)) {
      at++
      const code = take((inner) => !FENCE.test(inner))
      at++
      blocks.push(<CodeBlock lines={code} />)
    } else if (QUOTE.test(line)) {
      const inner = take((next) => QUOTE.test(next)).map((next) => next.replace(QUOTE, ''))
      blocks.push(<blockquote>{paragraphs(inner)}</blockquote>)
    } else if (BULLET.test(line)) blocks.push(<ul>{items(take, BULLET)}</ul>)
    else if (NUMBER.test(line)) blocks.push(<ol>{items(take, NUMBER)}</ol>)
    else {
      at++
      blocks.push(...paragraphs([line, ...take(isProse)]))
    }
  }
  return blocks
}

function isProse(line: string): boolean {
  return (
    line.trim() !== '' && ![HEADING, RULE, FENCE, QUOTE, BULLET, NUMBER].some((r) => r.test(line))
  )
}

/** Items of a flat list; lines that go on without a mark belong to the item above. */
function items(take: (wanted: (line: string) => boolean) => string[], mark: RegExp): VNode[] {
  const found: string[] = []
  for (const line of take((next) => mark.test(next) || (isProse(next) && /^ /.test(next)))) {
    if (mark.test(line)) found.push(line.replace(mark, ''))
    else found.push(`${found.pop() ?? ''} ${line.trim()}`)
  }
  return found.map((item) => (
    <li>
      <MarkdownLine text={item} />
    </li>
  ))
}

function paragraphs(lines: readonly string[]): VNode[] {
  return lines
    .join('\n')
    .split(/\n[ \t]*\n/)
    .filter((text) => text.trim() !== '')
    .map((text) => (
      <p>
        <MarkdownLine text={text.trim()} />
      </p>
    ))
}

function Heading({ level, children }: { level: number; children: string }) {
  const Tag = `h${level}` as 'h2'
  return (
    <Tag>
      <MarkdownLine text={children} />
    </Tag>
  )
}

function CodeBlock({ lines }: { lines: readonly string[] }): VNode {
  const code: ComponentChildren = lines.join('\n')
  return (
    <pre class="code" dir="ltr">
      <code>{code}</code>
    </pre>
  )
}
