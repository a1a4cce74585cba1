import { beforeAll, describe, expect } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { verifies } from '../../spec/verifies.ts'
import { anOperator } from '../../support/admin-api.ts'
import { aCourse } from '../../support/learning.ts'
import { sharedWorld } from '../../support/world.ts'
import { readAll } from './read-all.ts'
import { callTool, useTool } from './tool-endpoint.ts'

const world = await sharedWorld()
const operator = await anOperator(world, await world.aSchool())
const { school, accessToken: token } = operator

interface Page {
  readonly data: readonly { readonly id: string; readonly slug: string; readonly body: string }[]
  readonly has_more: boolean
  readonly next: string | null
}

interface Answer {
  readonly action: string
  readonly result?: Record<string, unknown>
  readonly part?: string
  readonly nextCursor: string | null
}

function pageIn(answer: Answer | undefined): Page {
  if (answer?.result === undefined) throw new Error(`no page: ${JSON.stringify(answer)}`)
  return answer.result as unknown as Page
}

const change = (input: object, action = 'posts.create', more: object = {}) =>
  useTool<Answer>(world, school, 'change_publishing', { action, input, ...more }, { token })

const read = (action: string, input: object, max?: number, tool = 'read_publishing') =>
  readAll<Answer>({ world, school, token, tool, given: { action, input } }, max)

const postRows = () => school.db.from('posts').select(['slug', 'body', 'version']).execute()

describe('a list of an operator', async () => {
  for (let n = 0; n < 12; n++) {
    await change({ slug: `n${n}`, title: `Post ${n}`, body: `“${n}”\n`.repeat(3000) })
  }

  for (const max of [30_000, 80_000, 200_000]) {
    verifies(
      ['mcp.answers.length', 'mcp.answers.cursor'],
      `has as many objects as ${max} characters hold, and its next gives the others once each`,
      async () => {
        const rest = (await operator.send('GET', '/posts?limit=100')).json()
        const seen: unknown[] = []
        let after: string | null | undefined
        do {
          const input = { limit: 100, ...(after === undefined ? {} : { after }) }
          const [answer, ...more] = await read('posts.list', input, max)
          expect(more).toEqual([])
          const { data, has_more, next } = pageIn(answer)
          expect(has_more).toBe(next !== null)
          expect(data.length).toBeGreaterThan(0)
          seen.push(...data)
          after = next
        } while (after !== null)
        expect(seen).toEqual(rest.data)
        expect(seen).toHaveLength(12)
      },
    )
  }

  verifies(
    'mcp.answers.cursor',
    'whose first object is too long gives it in parts, and then goes on with the next',
    async () => {
      const rest = (await operator.send('GET', '/posts?limit=1')).json()
      const parts = await read('posts.list', { limit: 100 }, 3000)
      expect(parts.length).toBeGreaterThan(5)
      const page: Page = JSON.parse(parts.map(({ part }) => part).join(''))
      expect(page).toEqual(rest)
      const others = await read('posts.list', { limit: 100, after: page.next }, 200_000)
      expect(pageIn(others[0]).data).toHaveLength(11)
    },
  )
})

describe('an object that is too long for one answer', () => {
  const body = 'A “long” text.\n😀'.repeat(12_000).slice(0, 200_000)
  let id = ''

  // Not before the tests of the list, which compare all posts. Only a text from before the limit is
  // so long.
  beforeAll(async () => {
    id = uuidv7()
    await school.db.insert('posts', { id, slug: 'long', title: 'Long', body }).execute()
  })

  for (const max of [undefined, 5000, 200_000]) {
    verifies(
      ['mcp.answers.length', 'mcp.answers.cursor'],
      `comes in parts that give the answer of the REST API together, ${max ?? 'by default'}`,
      async () => {
        const parts = await read('posts.read', { id }, max)
        expect(parts.length).toBeGreaterThan(1)
        expect(parts.map(({ result }) => result)).toEqual(parts.map(() => undefined))
        const whole = JSON.parse(parts.map(({ part }) => part).join(''))
        expect(whole).toEqual((await operator.send('GET', `/posts/${id}`)).json())
        expect(whole.body).toBe(body)
      },
    )
  }

  verifies('mcp.answers.cursor', 'a curriculum of 900 lectures comes whole, in parts', async () => {
    const lectures = Array.from({ length: 900 }, (_, n) => ({
      title: `${n} ${'title '.repeat(40)}`,
    }))
    const course = await aCourse(school, [lectures])
    const parts = await read('curriculum.read', { id: course.id }, undefined, 'read_teaching')
    expect(parts.length).toBeGreaterThan(2)
    const whole = JSON.parse(parts.map(({ part }) => part).join(''))
    const rest = await operator.send('GET', `/courses/${course.id}/curriculum`)
    expect(whole).toEqual(rest.json())
  })

  verifies('mcp.answers.one-version', 'a part of an older version is refused', async () => {
    const given = { action: 'posts.read', input: { id } }
    const first = await useTool(world, school, 'read_publishing', given, { token })
    await change({ id, title: 'Renamed' }, 'posts.change')
    const next = { ...given, cursor: first.nextCursor }
    const answer = await callTool(world, school, 'read_publishing', next, { token })
    expect(answer.isError).toBe(true)
    expect(answer.content[0]?.text).toContain('has changed since the part before')
  })

  verifies('mcp.answers.cursor', 'a cursor of another read is refused', async () => {
    const given = { action: 'posts.read', input: { id } }
    const { nextCursor: cursor } = await useTool(world, school, 'read_publishing', given, { token })
    const other = { action: 'posts.list', input: {}, cursor }
    const answer = await callTool(world, school, 'read_publishing', other, { token })
    expect(answer.isError).toBe(true)
    expect(answer.content[0]?.text).toContain('leave it out to start from the beginning')
  })
})

describe('a change', () => {
  verifies(
    'mcp.answers.writes',
    'whose answer would be too long says that it is done, and is done once',
    async () => {
      const post = { slug: 'much', title: 'Much', body: '"'.repeat(60_000) }
      const { result, nextCursor } = await change(post)
      expect(nextCursor).toBeNull()
      expect(result).toMatchObject({ object: 'post', slug: 'much', version: 1 })
      expect(result).not.toHaveProperty('body')
      expect(result?.omitted).toContain('It is done')
      const rows = (await postRows()).filter(({ slug }) => slug === 'much')
      expect(rows).toEqual([{ slug: 'much', body: post.body, version: 1 }])
      const asked = await change({ ...post, slug: 'more' }, 'posts.create', {
        max_characters: 200_000,
      })
      expect(asked.result?.body).toBe(post.body)
    },
  )

  verifies('mcp.answers.writes', 'with a cursor is refused, and nothing is done', async () => {
    const before = await postRows()
    for (const cursor of ['', 'made-up']) {
      const given = { action: 'posts.create', input: { slug: 'no', title: 'No' }, cursor }
      const answer = await callTool(world, school, 'change_publishing', given, { token })
      expect(answer.isError).toBe(true)
      expect(answer.content[0]?.text).toMatch(/^Nothing was done: cursor/)
    }
    expect(await postRows()).toEqual(before)
  })
})
