import { once } from '../../../foundation/cache/lru-cache.ts'
import {
  encodeKey,
  type Keyed,
  type KeysetKey,
  type KeysetRange,
  parseKey,
} from '../../../foundation/db/keyset.ts'
import { refusal } from '../graphql-refusal.ts'

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

/** Reads the page, and counts the total, only if the query selects them. */
export interface Connection<Node> {
  readonly nodes: () => Promise<readonly Node[]>
  readonly edges: () => Promise<readonly Edge<Node>[]>
  readonly pageInfo: () => Promise<PageInfo>
  readonly total: () => Promise<number>
}

export interface ListSource<Node> {
  /** The name of the list, which its cursors contain. */
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
 * Opens one page of a list. Wrong arguments are refused here, before a statement runs.
 *
 * @see GraphQL Cursor Connections Specification §4
 */
export function openConnection<Node extends Keyed>(
  source: ListSource<Node>,
  args: PageArguments,
): Connection<Node> {
  const request = parsePageArguments(source.name, source.maximum, args)
  const page = once(() => readPage(source, request))
  return {
    nodes: async () => (await page()).nodes,
    edges: async () =>
      (await page()).nodes.map((node) => ({
        node,
        cursor: () => encodeKey(source.name, node.key),
      })),
    pageInfo: async () => describePage(source, request, await page()),
    total: once(source.count),
  }
}

/** Reads one row more than the page holds, to know whether the list goes on. */
async function readPage<Node>(source: ListSource<Node>, request: PageRequest): Promise<Page<Node>> {
  const { first, last, after, before } = request
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
 * Both directions are always exact. The page itself knows one of them; the other takes a statement
 * that looks beyond the cursor, which runs only if the query selects the field.
 */
function describePage<Node extends Keyed>(
  source: ListSource<Node>,
  { after, before }: PageRequest,
  { nodes, moreBefore, moreAfter }: Page<Node>,
): PageInfo {
  const start = nodes.at(0)?.key
  const end = nodes.at(-1)?.key
  const exists = async (range: Pick<KeysetRange, 'after' | 'before'>): Promise<boolean> =>
    (await source.read({ ...range, limit: 1, fromEnd: false })).length > 0
  return {
    // An empty page has no row to look beyond. Its cursor was a row once, so the answer is yes.
    hasPreviousPage: () =>
      moreBefore || (after !== undefined && (start === undefined || exists({ before: start }))),
    hasNextPage: () =>
      moreAfter || (before !== undefined && (end === undefined || exists({ after: end }))),
    startCursor: start && encodeKey(source.name, start),
    endCursor: end && encodeKey(source.name, end),
  }
}

export const DEFAULT_PAGE_SIZE = 20

/** Relay's arguments; null counts as left out. */
interface PageArguments {
  readonly first?: number | null | undefined
  readonly last?: number | null | undefined
  readonly after?: string | null | undefined
  readonly before?: string | null | undefined
}

/** The arguments after their check. */
interface PageRequest {
  readonly first: number | undefined
  readonly last: number | undefined
  readonly after: KeysetKey | undefined
  readonly before: KeysetKey | undefined
}

/** A size above the maximum counts as the maximum; a negative size is refused. */
function parsePageArguments(
  list: string,
  maximum: number,
  { first, last, after, before }: PageArguments,
): PageRequest {
  const page = {
    first: parseSize('first', first, maximum),
    last: parseSize('last', last, maximum),
    after: isGiven(after) ? parseCursor(list, 'after', after) : undefined,
    before: isGiven(before) ? parseCursor(list, 'before', before) : undefined,
  }
  if (page.first === undefined && page.last === undefined) {
    return { ...page, first: Math.min(DEFAULT_PAGE_SIZE, maximum) }
  }
  return page
}

function parseCursor(list: string, argument: string, cursor: string): KeysetKey {
  const key = parseKey(list, cursor)
  if (key !== undefined) return key
  throw refusal(
    'bad_cursor',
    `${argument} is not a cursor of ${list}: pass a cursor exactly as edges or pageInfo of ${list} gave it.`,
    { argument },
  )
}

function parseSize(
  argument: string,
  size: number | null | undefined,
  maximum: number,
): number | undefined {
  if (!isGiven(size)) return undefined
  if (size < 0) {
    throw refusal('bad_argument', `${argument} must not be negative, but was ${size}.`, {
      argument,
    })
  }
  return Math.min(size, maximum)
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined
}
