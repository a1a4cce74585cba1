import type { Builder, Ref } from '../builder.ts'
import { type Connection, DEFAULT_PAGE_SIZE, type Edge, type PageInfo } from './connection.ts'

/** The page sizes of a connection, by which the cost of a document is estimated. */
export interface PageSizes {
  readonly default: number
  readonly maximum: number
}

export function pageSizes(maximum: number): { readonly pageSizes: PageSizes } {
  return { pageSizes: { default: Math.min(DEFAULT_PAGE_SIZE, maximum), maximum } }
}

/** The arguments that every connection takes. */
export function pageArgs(builder: Builder, maximum: number) {
  const size = `at most ${maximum}; more counts as ${maximum}`
  return builder.args((t) => ({
    first: t.int({
      description: `Number of nodes from the start of the list (${size}). Without first and last: ${DEFAULT_PAGE_SIZE}.`,
    }),
    last: t.int({
      description: `Number of nodes from the end of the list (${size}). The order of the list stays the same.`,
    }),
    after: t.string({ description: 'Only nodes after this cursor.' }),
    before: t.string({ description: 'Only nodes before this cursor.' }),
  }))
}

export function definePageInfo(builder: Builder): Ref<PageInfo> {
  return builder.objectRef<PageInfo>('PageInfo').implement({
    description:
      'Place of a page in its list. For the next page pass endCursor as after, for the previous one startCursor as before.',
    fields: (t) => ({
      hasNextPage: t.boolean({
        description: 'Whether there are nodes after the last one of this page.',
        resolve: (page) => page.hasNextPage(),
      }),
      hasPreviousPage: t.boolean({
        description: 'Whether there are nodes before the first one of this page.',
        resolve: (page) => page.hasPreviousPage(),
      }),
      startCursor: t.exposeString('startCursor', {
        nullable: true,
        description: 'Cursor of the first node; null on an empty page.',
      }),
      endCursor: t.exposeString('endCursor', {
        nullable: true,
        description: 'Cursor of the last node; null on an empty page.',
      }),
    }),
  })
}

/** The Connection and Edge types of one kind of node. */
export function defineConnection<Node>(
  builder: Builder,
  pageInfo: Ref<PageInfo>,
  name: string,
  node: Ref<Node>,
  what: string,
): Ref<Connection<Node>> {
  const edge = builder.objectRef<Edge<Node>>(`${name}Edge`)
  edge.implement({
    description: `One of the ${what}, with its place in the list.`,
    fields: (t) => ({
      cursor: t.string({
        description: 'Place of the node: an opaque text for after and before.',
        resolve: ({ cursor }) => cursor(),
      }),
      node: t.field({
        type: node,
        description: 'The node at this place.',
        resolve: (parent) => parent.node as never,
      }),
    }),
  })
  const connection = builder.objectRef<Connection<Node>>(`${name}Connection`)
  connection.implement({
    description: `A page of the ${what}. nodes and edges hold the same; edges add cursors.`,
    fields: (t) => ({
      nodes: t.field({
        type: [node],
        description: 'The nodes of this page, in the order of the list.',
        resolve: (parent) => parent.nodes() as never,
      }),
      edges: t.field({
        type: [edge],
        description: 'The nodes of this page, each with its cursor.',
        resolve: (parent) => parent.edges() as never,
      }),
      pageInfo: t.field({
        type: pageInfo,
        description: 'Whether there are more pages, and the cursors to get them.',
        resolve: (parent) => parent.pageInfo(),
      }),
      totalCount: t.int({
        description: `How many ${what} there are on all pages together. Counted only when selected.`,
        extensions: { cost: 10 },
        resolve: (parent) => parent.total(),
      }),
    }),
  })
  return connection
}
