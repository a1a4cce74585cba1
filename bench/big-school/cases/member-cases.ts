import { readFile } from 'node:fs/promises'
import {
  buildSchema,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql'
import { JSON_BODY } from '../../play.ts'
import type { Asking } from '../asking.ts'
import type { BothCallers, Callers } from '../callers.ts'
import type { Case } from '../case.ts'

const SCHEMA = new URL('../../../src/surfaces/member-api/schema.graphql', import.meta.url)
const PAGES = 20

/**
 * Every connection of the viewer, of a member with many of everything: the first page, a deep one,
 * the last one.
 */
export async function memberCases(asking: Asking, callers: BothCallers): Promise<readonly Case[]> {
  const schema = buildSchema(await readFile(SCHEMA, 'utf8'))
  const viewer = schema.getType('Viewer') as GraphQLObjectType
  const cases: Case[] = []
  for (const field of Object.values(viewer.getFields())) {
    if (!field.args.some(({ name }) => name === 'last')) continue
    const nodes = nodeFields(getNamedType(field.type) as GraphQLObjectType)
    const query = (page: string) =>
      `{ viewer { ${field.name}(${page}) { nodes { ${nodes} } pageInfo { endCursor hasNextPage } } } }`
    const deep = {
      big: await deepCursor(asking, callers.big, field.name, query),
      small: await deepCursor(asking, callers.small, field.name, query),
    }
    const add = (name: string, page: (at: Callers) => string) =>
      cases.push({
        group: 'Member API',
        name: `${field.name}, ${name}`,
        ask: (at) => asked(at, query(page(at))),
      })
    add('first page', () => 'first: 20')
    add('deep page', ({ school }) => {
      const cursor = deep[school.name]
      return cursor === undefined ? 'first: 20' : `first: 20, after: "${cursor}"`
    })
    add('last page', () => 'last: 20')
  }
  return cases
}

function asked(at: Callers, query: string) {
  return {
    method: 'POST' as const,
    path: '/member/graphql',
    headers: { ...at.busy, ...JSON_BODY },
    body: JSON.stringify({ query }),
  }
}

/** Plain members of the nodes of a connection. */
function nodeFields(connection: GraphQLObjectType): string {
  const node = getNamedType(connection.getFields().nodes?.type)
  if (!isObjectType(node)) return '__typename'
  return Object.values(node.getFields())
    .filter(({ type, args }) => args.length === 0 && isLeafType(getNamedType(type)))
    .map(({ name }) => name)
    .join(' ')
}

async function deepCursor(
  asking: Asking,
  at: Callers,
  field: string,
  query: (page: string) => string,
): Promise<string | undefined> {
  let cursor: string | undefined
  for (let page = 0; page < PAGES; page++) {
    const after: string = cursor === undefined ? '' : `, after: "${cursor}"`
    const answer = await asking.json(asked(at, query(`first: 50${after}`)))
    const viewer = (answer?.data as { viewer?: Record<string, Connection> } | undefined)?.viewer
    const info = viewer?.[field]?.pageInfo
    if (info?.hasNextPage !== true || info.endCursor === null) break
    cursor = info.endCursor
  }
  return cursor
}

interface Connection {
  readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean }
}
