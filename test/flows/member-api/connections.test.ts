import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { aNotification } from '../../support/inbox.ts'
import { ask, aToken, read } from '../../support/member-api.ts'
import { sharedWorld, type TestPerson } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
let ada: TestPerson
let token = ''
/** Ids of the inbox, newest first; always two have the same created_at. */
let ids: string[] = []

beforeAll(async () => {
  ada = await world.aMember(school)
  token = await aToken(world, school, ada)
  const made: { id: string; at: number }[] = []
  for (let i = 0; i < 25; i++) {
    const at = Date.UTC(2026, 0, 1) + Math.floor(i / 2)
    made.push({ id: await aNotification(school, ada, { createdAt: new Date(at) }), at })
  }
  made.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
  ids = made.map(({ id }) => id)
})

interface Page {
  readonly nodes: readonly { readonly id: string }[]
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[]
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
  readonly totalCount: number
}

const QUERY = `query ($first: Int, $last: Int, $after: String, $before: String) {
  viewer { notifications(first: $first, last: $last, after: $after, before: $before) {
    nodes { id } edges { cursor node { id } } totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`

async function page(args: Record<string, unknown> = {}): Promise<Page> {
  const { viewer } = await read<{ viewer: { notifications: Page } }>(
    world,
    school,
    token,
    QUERY,
    args,
  )
  return viewer.notifications
}

const idsOf = (found: Page): string[] => found.nodes.map(({ id }) => id)

describe('Relay', () => {
  verifies(
    ['connection.nodes', 'connection.shape', 'connection.default-size', 'notification.connection'],
    'twenty nodes by default; nodes and edges match; the total counts the whole list',
    async () => {
      const found = await page()
      expect(idsOf(found)).toEqual(ids.slice(0, 20))
      expect(found.edges.map(({ node }) => node.id)).toEqual(idsOf(found))
      expect(found.totalCount).toBe(25)
      expect(found.pageInfo).toEqual({
        hasNextPage: true,
        hasPreviousPage: false,
        startCursor: found.edges[0]?.cursor,
        endCursor: found.edges.at(-1)?.cursor,
      })
    },
  )

  verifies(
    ['connection.arguments', 'connection.cursors', 'connection.stable-order'],
    'forward by pages, each node once, also rows of the same millisecond',
    async () => {
      for (const size of [1, 2, 3, 7, 25]) {
        const seen: string[] = []
        let after: string | null = null
        for (;;) {
          const found: Page = await page({ first: size, after })
          seen.push(...idsOf(found))
          expect(found.pageInfo.hasPreviousPage).toBe(after !== null)
          after = found.pageInfo.endCursor
          if (!found.pageInfo.hasNextPage) break
        }
        expect(seen).toEqual(ids)
      }
    },
  )

  verifies(
    ['connection.arguments', 'connection.last-keeps-order'],
    'backward by pages, with the nodes of each page in the same order as forward',
    async () => {
      const seen: string[] = []
      let before: string | null = null
      for (;;) {
        const found: Page = await page({ last: 4, before })
        seen.unshift(...idsOf(found))
        expect(found.pageInfo.hasNextPage).toBe(before !== null)
        before = found.pageInfo.startCursor
        if (!found.pageInfo.hasPreviousPage) break
      }
      expect(seen).toEqual(ids)
    },
  )

  test('between two cursors, with first, with last and with both', async () => {
    const { edges } = await page({ first: 25 })
    const after = edges[4]?.cursor
    const before = edges[15]?.cursor
    const between = await page({ after, before })
    expect(idsOf(between)).toEqual(ids.slice(5, 15))
    expect(between.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true })
    expect(idsOf(await page({ after, before, first: 3 }))).toEqual(ids.slice(5, 8))
    expect(idsOf(await page({ after, before, last: 3 }))).toEqual(ids.slice(12, 15))
    const both = await page({ first: 5, last: 2 })
    expect(idsOf(both)).toEqual(ids.slice(3, 5))
    expect(both.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true })
  })

  test('zero is a legal size, and an empty page has no cursors', async () => {
    const none = await page({ first: 0 })
    expect(none.nodes).toEqual([])
    expect(none.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: null,
      endCursor: null,
    })
    const { pageInfo } = await page({ first: 25 })
    expect((await page({ after: pageInfo.endCursor })).pageInfo).toMatchObject({
      hasNextPage: false,
      hasPreviousPage: true,
    })
  })

  verifies('connection.null-is-absent', 'null counts as omitted', async () => {
    const args = { first: null, last: null, after: null, before: null }
    expect(idsOf(await page(args))).toEqual(ids.slice(0, 20))
  })

  verifies(
    ['connection.maximum', 'connection.maximum.elsewhere'],
    'a size above the maximum gives a full page',
    async () => {
      const eve = await world.aMember(school)
      const hers = await aToken(world, school, eve)
      const rows = Array.from({ length: 105 }, () => aNotification(school, eve))
      await Promise.all(rows)
      const { viewer } = await read<{ viewer: Record<'a' | 'b', { nodes: unknown[] }> }>(
        world,
        school,
        hers,
        '{ viewer { a: notifications(first: 2147483647) { nodes { id } } b: notifications(last: 101) { nodes { id } } } }',
      )
      expect(viewer.a.nodes).toHaveLength(100)
      expect(viewer.b.nodes).toHaveLength(100)
    },
  )
})

describe('wrong arguments', () => {
  verifies('connection.negative', 'a negative size is an error', async () => {
    for (const args of [{ first: -1 }, { last: -1 }, { first: 1, last: -5 }]) {
      const { data, errors } = await ask(world, school, token, QUERY, args)
      expect(data).toEqual({ viewer: null })
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'bad_argument' })
      expect(errors?.[0]?.message).toMatch(/must not be negative/)
    }
  })

  verifies('connection.unknown-cursor', 'a cursor we never issued is an error', async () => {
    const { edges } = await page({ first: 1 })
    const real = edges[0]?.cursor ?? ''
    for (const cursor of ['', 'x', '25', `${real}x`, real.slice(1), real.toLowerCase()]) {
      for (const args of [{ after: cursor }, { before: cursor }]) {
        const { errors } = await ask(world, school, token, QUERY, args)
        expect(errors?.[0]?.extensions).toMatchObject({ code: 'bad_cursor' })
      }
    }
    const other = '{ viewer { payments(after: "CURSOR") { totalCount } } }'
    const { errors } = await ask(world, school, token, other.replace('CURSOR', real))
    expect(errors?.[0]?.message).toMatch(/not a cursor of payments/)
  })
})

describe('while others write', () => {
  verifies(
    'connection.stable-order',
    'rows added or removed before and after a page do not shift it',
    async () => {
      const finn = await world.aMember(school)
      const his = await aToken(world, school, finn)
      const at = (n: number) => new Date(Date.UTC(2026, 1, 1) + n)
      const rows: string[] = []
      for (let i = 0; i < 6; i++) rows.push(await aNotification(school, finn, { createdAt: at(i) }))
      const query = `query ($after: String) { viewer { notifications(first: 3, after: $after) {
        nodes { id } pageInfo { endCursor hasNextPage } } } }`
      const ask3 = async (after: string | null) =>
        (await read<{ viewer: { notifications: Page } }>(world, school, his, query, { after }))
          .viewer.notifications
      const first = await ask3(null)
      expect(idsOf(first)).toEqual([rows[5], rows[4], rows[3]])
      await aNotification(school, finn, { createdAt: at(100) })
      await school.db
        .delete('notifications')
        .where('id', '=', rows[4] ?? '')
        .execute()
      // The row that the cursor points to.
      await school.db
        .delete('notifications')
        .where('id', '=', rows[3] ?? '')
        .execute()
      const second = await ask3(first.pageInfo.endCursor)
      expect(idsOf(second)).toEqual([rows[2], rows[1], rows[0]])
      expect(second.pageInfo.hasNextPage).toBe(false)
    },
  )
})

test('compiled and interpreted documents answer the same', async () => {
  const args = { first: 3 }
  const answers = [await page(args), await page(args), await page(args)]
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
})
