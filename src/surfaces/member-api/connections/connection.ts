import { once } from '../../../foundation/cache/once.ts'
import type { Keyed, KeysetRange } from '../../../foundation/db/keyset.ts'
import { encodeCursor } from './cursor.ts'
import { type PageArguments, type PageWish, parsePageArguments } from './page-arguments.ts'

export interface Edge<Node> {
  readonly node: Node
  readonly cursor: () => string
}

export interface PageInfo {
  readonly hasNextPage: () => boolean | Promise<boolean>
  readonly hasPreviousPage: () => boolean | Promise<boolean>
  readonly startCursor: string | undefined
  readonly endCursor: string | undefined
}

/** A page that is read when something of it is selected, and a total that is counted likewise. */
export interface Connection<Node> {
  readonly nodes: () => Promise<readonly Node[]>
  readonly edges: () => Promise<readonly Edge<Node>[]>
  readonly pageInfo: () => Promise<PageInfo>
  readonly total: () => Promise<number>
}

export interface ListSource<Node> {
  /** The list's name, which its cursors carry. */
  readonly name: string
  readonly maximum: number
  readonly read: (range: KeysetRange) => Promise<Node[]>
  readonly count: () => Promise<number>
}

interface Page<Node> {
  readonly nodes: readonly Node[]
  readonly moreBefore: boolean
  readonly moreAfter: boolean
}

/**
 * Opens one page of a list. Wrong arguments are refused here, before anything is read.
 *
 * @see GraphQL Cursor Connections Specification §4
 */
export function openConnection<Node extends Keyed>(
  source: ListSource<Node>,
  args: PageArguments,
): Connection<Node> {
  const wish = parsePageArguments(source.name, source.maximum, args)
  const page = once(() => readPage(source, wish))
  return {
    nodes: async () => (await page()).nodes,
    edges: async () =>
      (await page()).nodes.map((node) => ({
        node,
        cursor: () => encodeCursor(source.name, node.key),
      })),
    pageInfo: async () => describePage(source, wish, await page()),
    total: once(source.count),
  }
}

/** One row more than asked for tells whether the list goes on. */
async function readPage<Node>(source: ListSource<Node>, wish: PageWish): Promise<Page<Node>> {
  const { first, last, after, before } = wish
  if (first === undefined) {
    const size = last ?? 0
    const rows = await source.read({ after, before, limit: size + 1, fromEnd: true })
    const cut = Math.max(0, rows.length - size)
    return { nodes: rows.slice(cut), moreBefore: cut > 0, moreAfter: false }
  }
  const rows = await source.read({ after, before, limit: first + 1, fromEnd: false })
  const kept = rows.slice(0, first)
  const cut = last === undefined ? 0 : Math.max(0, kept.length - last)
  return { nodes: kept.slice(cut), moreBefore: cut > 0, moreAfter: rows.length > first }
}

/**
 * Both directions are always answered truly. The page itself knows one of them; the other takes a
 * look beyond the cursor it started from, and only if somebody selects it.
 */
function describePage<Node extends Keyed>(
  source: ListSource<Node>,
  { after, before }: PageWish,
  { nodes, moreBefore, moreAfter }: Page<Node>,
): PageInfo {
  const start = nodes.at(0)?.key
  const end = nodes.at(-1)?.key
  const exists = async (range: Pick<KeysetRange, 'after' | 'before'>): Promise<boolean> =>
    (await source.read({ ...range, limit: 1, fromEnd: false })).length > 0
  return {
    // An empty page has no rows to look beyond; its cursor was a row once.
    hasPreviousPage: () =>
      moreBefore || (after !== undefined && (start === undefined || exists({ before: start }))),
    hasNextPage: () =>
      moreAfter || (before !== undefined && (end === undefined || exists({ after: end }))),
    startCursor: start && encodeCursor(source.name, start),
    endCursor: end && encodeCursor(source.name, end),
  }
}
