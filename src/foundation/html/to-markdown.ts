import { type ComponentChildren, isValidElement, type VNode } from 'preact'

/**
 * The content of a page as Markdown, so that a guide is written once. It knows the elements of our
 * own guides; links are completed with the origin, because the text leaves the page.
 *
 * @see CommonMark 0.31
 */
export function toMarkdown(content: ComponentChildren, origin: string): string {
  return `${blocksOf(piecesOf(content, origin)).join('\n\n')}\n`
}

/** Part of a line, or a whole block. */
type Piece = { readonly inline: string } | { readonly block: string }

type Props = { readonly children?: ComponentChildren; readonly href?: string }

function piecesOf(node: ComponentChildren, origin: string): Piece[] {
  if (node === null || node === undefined || typeof node === 'boolean') return []
  if (Array.isArray(node)) return node.flatMap((child) => piecesOf(child, origin))
  if (isValidElement(node)) return ofElement(node as VNode<Props>, origin)
  return [{ inline: markdownText(String(node)) }]
}

function ofElement({ type, props }: VNode<Props>, origin: string): Piece[] {
  // Our components have no state, so calling one gives what it shows.
  if (typeof type === 'function') {
    return piecesOf((type as (props: Props) => ComponentChildren)(props), origin)
  }
  const inside = () => piecesOf(props.children, origin)
  const line = () => lineOf(inside())
  switch (type) {
    case 'h1':
    case 'h2':
    case 'h3':
      return [{ block: `${'#'.repeat(Number(type[1]))} ${line()}` }]
    case 'p':
    case 'dt':
    case 'dd':
      return [{ block: line() }]
    case 'pre':
      return [{ block: `\`\`\`\n${rawText(props.children)}\n\`\`\`` }]
    case 'code':
      return [{ inline: `\`${rawText(props.children)}\`` }]
    case 'strong':
      return [{ inline: `**${line()}**` }]
    case 'a':
      return [{ inline: link(line(), props.href ?? '', origin) }]
    case 'ul':
      return [
        {
          block: childrenOf(props)
            .map((item) => listItem(item, origin))
            .join('\n'),
        },
      ]
    case 'nav':
      // Finds its way on a screen; a text has its headings.
      return []
    default:
      return inside()
  }
}

function childrenOf({ children }: Props): VNode<Props>[] {
  return [children].flat(3).filter((child): child is VNode<Props> => isValidElement(child))
}

function listItem(item: VNode<Props>, origin: string): string {
  return `- ${blocksOf(piecesOf(item.props.children, origin)).join('\n  ')}`
}

/** Neighbouring parts of a line become one block. */
function blocksOf(pieces: readonly Piece[]): string[] {
  const blocks: string[] = []
  let open = ''
  const close = () => {
    if (open.trim() !== '') blocks.push(open.trim())
    open = ''
  }
  for (const piece of pieces) {
    if ('inline' in piece) open += piece.inline
    else {
      close()
      if (piece.block !== '') blocks.push(piece.block)
    }
  }
  close()
  return blocks
}

function lineOf(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => ('inline' in piece ? piece.inline : piece.block))
    .join('')
    .trim()
}

function link(text: string, href: string, origin: string): string {
  if (href.startsWith('#')) return text
  return `[${text}](${href.startsWith('/') ? origin + href : href})`
}

function rawText(node: ComponentChildren): string {
  if (Array.isArray(node)) return node.map(rawText).join('')
  if (isValidElement(node)) return rawText((node as VNode<Props>).props.children)
  return node === null || node === undefined || typeof node === 'boolean' ? '' : String(node)
}

/** Text as it is, whatever a school called itself: no emphasis, link or markup comes of it. */
export function markdownText(text: string): string {
  return text.replace(/[\\`*[\]<>]/g, '\\$&').replace(/\s+/g, ' ')
}
