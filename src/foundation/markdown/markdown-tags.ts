import type { Token } from 'markdown-it'
import type { ComponentChildren } from 'preact'
import { parseLocalPath } from '../http/local-path.ts'

export interface OpenElement {
  readonly token: Token
  readonly children: ComponentChildren[]
}

/**
 * Removes control characters and characters that reorder or hide the text around them. The source
 * is cleaned before it is parsed, and each text again, because `&#x202e;` becomes such a character.
 */
export function withoutTricks(text: string): string {
  return text.replace(/[\0-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/g, '')
}

export function leafOf(token: Token, next: Token | undefined): ComponentChildren {
  switch (token.type) {
    case 'text':
      return withoutTricks(isImageMark(token, next) ? token.content.slice(0, -1) : token.content)
    case 'code_inline':
      return <code dir="ltr">{withoutTricks(token.content)}</code>
    case 'fence':
      return (
        <pre class="code" dir="ltr">
          <code>{withoutTricks(token.content.replace(/\n$/, ''))}</code>
        </pre>
      )
    case 'softbreak':
      return '\n'
    case 'hardbreak':
      return <br />
    case 'hr':
      return <hr />
    default:
      return token.content
  }
}

/** An image would tell its host who reads the page, so `![label](address)` becomes a link. */
function isImageMark(token: Token, next: Token | undefined): boolean {
  return token.content.endsWith('!') && next?.type === 'link_open' && next.markup === ''
}

export function elementOf(element: OpenElement | undefined): ComponentChildren {
  if (element === undefined) return null
  const { token, children } = element
  switch (token.type) {
    case 'paragraph_open':
      // The parser hides the paragraphs of a list without empty lines.
      return token.hidden ? children : <p>{children}</p>
    case 'heading_open': {
      const Heading = token.tag as 'h2'
      return <Heading>{children}</Heading>
    }
    case 'bullet_list_open':
      return <ul>{children}</ul>
    case 'ordered_list_open':
      return <ol start={startOf(token)}>{children}</ol>
    case 'list_item_open':
      return <li>{children}</li>
    case 'blockquote_open':
      return <blockquote>{children}</blockquote>
    case 'strong_open':
      return <strong>{children}</strong>
    case 'em_open':
      return <em>{children}</em>
    case 'link_open':
      return <Link target={String(token.attrGet('href') ?? '')}>{children}</Link>
    default:
      return children
  }
}

function startOf(list: Token): number | undefined {
  const start = list.attrGet('start')
  return start === null ? undefined : Number(start)
}

/** Links lead to the web, to a mailbox or to a page of this origin; others are shown as text. */
function Link({ target, children }: { target: string; children: ComponentChildren }) {
  const href = parseLocalPath(target) ?? webAddress(target)
  if (href === undefined) return <>{children}</>
  return (
    <a href={href} rel="nofollow noopener">
      {children}
    </a>
  )
}

function webAddress(target: string): string | undefined {
  if (!URL.canParse(target)) return undefined
  const { protocol, href } = new URL(target)
  return ['https:', 'http:', 'mailto:'].includes(protocol) ? href : undefined
}
