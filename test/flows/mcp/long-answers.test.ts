import { describe, expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { verifies } from '../../spec/verifies.ts'
import { aNotification } from '../../support/inbox.ts'
import { aCourse, anEnrollment, aProductOf } from '../../support/learning.ts'
import { aToken } from '../../support/member-api.ts'
import { sharedWorld } from '../../support/world.ts'
import { readAll } from './read-all.ts'
import { callTool, useTool } from './tool-endpoint.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const ada = await world.aMember(school)
const token = await aToken(world, school, ada)

type Row = Record<string, unknown>

const PAST = new Date('2024-01-01T00:00:00Z')
/** Characters that take two or six in JSON, and one that is two in JavaScript. */
const AWKWARD = '"\\\n\u0001😀é'
const LONG_TITLE = '“A title” of 300 characters '.repeat(11).slice(0, 300)

async function aPost(slug: string, body: string, db = school.db): Promise<void> {
  const named = { id: uuidv7(), slug, title: LONG_TITLE, body }
  await db.insert('posts', { ...named, state: 'published', published_at: PAST }).execute()
}

/** A school of its own, because the tests compare whole lists. */
const listed = await world.aSchool()

describe('a list', async () => {
  for (let n = 0; n < 60; n++) await aPost(`n${n}`, AWKWARD.repeat(100), listed.db)
  const slugsOf = (answers: { posts: Row[] }[]): unknown[] =>
    answers.flatMap(({ posts }) => posts.map(({ slug }) => slug))
  const posts = { world, school: listed, tool: 'list_posts', given: { limit: 50 } }
  const whole = slugsOf(await readAll<{ posts: Row[] }>(posts))

  for (const max of [2000, 7000, 200_000]) {
    verifies(
      ['mcp.answers.length', 'mcp.answers.cursor'],
      `with answers of up to ${max} characters gives each row once, in the same order`,
      async () => {
        const answers = await readAll<{ posts: Row[] }>(posts, max)
        expect(slugsOf(answers)).toEqual(whole)
        expect(new Set(whole).size).toBe(60)
        if (max < 10_000) expect(answers.length).toBeGreaterThan(3)
      },
    )
  }

  verifies(
    'mcp.answers.length',
    'whose rows are long is cut at 80,000 characters without being asked',
    async () => {
      const courses = await Promise.all(
        Array.from({ length: 100 }, () => aCourse(listed, [], { title: LONG_TITLE })),
      )
      for (let n = 0; n < 6; n++) {
        const plan_id = uuidv7()
        const plan = {
          slug: `p${n}`,
          name: `Plan ${n}`,
          interval: 'month',
          state: 'published',
          price_amount: 1,
        } as const
        await listed.db
          .insert('membership_plans', { id: plan_id, ...plan, currency: 'USD' })
          .execute()
        const opened = courses.map(({ id: course_id }) => ({ plan_id, course_id }))
        await listed.db.insert('membership_plan_courses', opened).execute()
      }
      const answers = await readAll<{ membershipPlans: Row[] }>({
        world,
        school: listed,
        tool: 'list_membership_plans',
      })
      expect(answers.length).toBeGreaterThan(1)
      const slugs = answers.flatMap(({ membershipPlans }) => membershipPlans.map((row) => row.slug))
      expect([...slugs].sort()).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5'])
    },
  )

  verifies(
    'mcp.answers.cursor',
    'with a row that is longer than the answer may be shows that row alone, and goes on',
    async () => {
      const given = { max_characters: 1000, cursor: undefined as string | undefined }
      const seen: unknown[] = []
      do {
        const page = await useTool<{ membershipPlans: Row[]; nextCursor: string | null }>(
          world,
          listed,
          'list_membership_plans',
          given,
        )
        expect(page.membershipPlans).toHaveLength(1)
        seen.push(...page.membershipPlans.map(({ slug }) => slug))
        given.cursor = page.nextCursor ?? undefined
      } while (given.cursor !== undefined)
      expect(seen).toHaveLength(6)
      expect(new Set(seen).size).toBe(6)
    },
  )
})

describe('search', () => {
  verifies('mcp.answers.cursor', 'gives each hit once', async () => {
    const search = { world, school: listed, tool: 'search', given: { query: 'title' } }
    const [whole] = await readAll<{ results: Row[] }>(search)
    const parts = await readAll<{ results: Row[] }>(search, 2000)
    expect(parts.length).toBeGreaterThan(2)
    expect(parts.flatMap(({ results }) => results)).toEqual(whole?.results)
  })
})

describe('a long text', async () => {
  const body = `${AWKWARD}${'Words, and “words”. '.repeat(3)}`.repeat(2900).slice(0, 200_000)
  await aPost('long', body)
  const fetchIt = { world, school, tool: 'fetch', given: { id: 'post:long' } }

  for (const max of [1000 + LONG_TITLE.length * 2, 80_000, 200_000]) {
    verifies(
      ['mcp.answers.length', 'mcp.answers.cursor'],
      `is read in parts of up to ${max} characters that give the text together`,
      async () => {
        const parts = await readAll<{ text: string }>(fetchIt, max)
        expect(parts.length).toBeGreaterThan(1)
        expect(parts.map(({ text }) => text).join('')).toBe(body)
        // A model cannot read half a character.
        for (const { text } of parts) expect(text).not.toMatch(/\p{Surrogate}/u)
      },
    )
  }

  verifies(
    'mcp.answers.one-version',
    'that was changed between two parts is refused, not put together from two versions',
    async () => {
      await aPost('edited', 'The first version. '.repeat(9000))
      const given = { id: 'post:edited' }
      const { nextCursor: cursor } = await useTool(world, school, 'fetch', given)
      const changed = 'Another version. '.repeat(9000)
      await school.db.update('posts').set({ body: changed }).where('slug', '=', 'edited').execute()
      const answer = await callTool(world, school, 'fetch', { ...given, cursor })
      expect(answer.isError).toBe(true)
      expect(answer.content[0]?.text).toContain('has changed since the part before')
    },
  )

  test('has cursors that fit no other text and no other tool', async () => {
    await aPost('other', body)
    const { nextCursor: cursor } = await useTool(world, school, 'fetch', fetchIt.given)
    for (const [tool, given] of [
      ['fetch', { id: 'post:other' }],
      ['search', { query: 'title' }],
      ['list_posts', {}],
    ] as const) {
      const answer = await callTool(world, school, tool, { ...given, cursor })
      expect(answer.isError).toBe(true)
      expect(answer.content[0]?.text).toContain('leave it out to start from the beginning')
    }
  })
})

describe('a course of 900 lectures', async () => {
  const sections = Array.from({ length: 30 }, (_, section) =>
    Array.from({ length: 30 }, (_, lecture) => ({
      title: `${section}.${lecture} ${LONG_TITLE.slice(0, 250)}`,
    })),
  )
  const course = await aCourse(school, sections)
  await anEnrollment(school, ada, course)
  const titles = sections.flat().map(({ title }) => title)

  verifies('mcp.answers.cursor', 'shows each lecture of its outline once', async () => {
    const get = { world, school, tool: 'get_course', given: { slug: course.slug } }
    for (const max of [80_000, 5000]) {
      const answers = await readAll<{ sections: { title: string; lectures: Row[] }[] }>(get, max)
      expect(answers.length).toBeGreaterThan(2)
      const shown = answers.flatMap((answer) => answer.sections)
      expect(shown.flatMap(({ lectures }) => lectures.map(({ title }) => title))).toEqual(titles)
      expect(new Set(shown.map(({ title }) => title)).size).toBe(30)
    }
  })

  verifies('mcp.answers.cursor', 'shows a member each lecture once', async () => {
    const mine = { world, school, token, tool: 'my_course', given: { slug: course.slug } }
    for (const max of [80_000, 5000]) {
      const answers = await readAll<{ lectures: Row[] }>(mine, max)
      expect(answers.length).toBeGreaterThan(2)
      const shown = answers.flatMap(({ lectures }) => lectures.map(({ title }) => title))
      expect(shown).toEqual(titles)
    }
  })
})

describe('lists of a member', async () => {
  for (let n = 0; n < 30; n++) {
    const id = await aNotification(school, ada, { title: `Note ${n}` })
    const long = { body: 'x'.repeat(10_000) }
    await school.db.update('notifications').set(long).where('id', '=', id).execute()
    await aProductOf(school, ada, { title: LONG_TITLE })
  }

  verifies('mcp.answers.length', 'long notifications are cut at 80,000 characters', async () => {
    const given = { limit: 30 }
    const all = { world, school, token, tool: 'my_notifications', given }
    const answers = await readAll<{ notifications: Row[] }>(all)
    expect(answers.length).toBeGreaterThan(3)
    const titles = answers.flatMap((answer) => answer.notifications.map(({ title }) => title))
    expect(titles).toEqual(Array.from({ length: 30 }, (_, n) => `Note ${29 - n}`))
  })
})

verifies('mcp.answers.length', 'a refusal is short, whatever names the call made up', async () => {
  const given = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`name${n}`, n]))
  const answer = await callTool(world, school, 'list_posts', given)
  expect(answer.isError).toBe(true)
  expect(answer.content[0]?.text).toContain('name7')
  expect(answer.content[0]?.text.length).toBeLessThan(5000)
})

for (const [what, max_characters] of Object.entries({
  'below the least': 999,
  'above the most': 200_001,
  'that is no whole number': 2000.5,
  'written as text': '80000',
  'of null': null,
})) {
  verifies(
    'mcp.answers.length',
    `a max_characters ${what} is refused with the reason`,
    async () => {
      const answer = await callTool(world, school, 'list_posts', { max_characters })
      expect(answer.isError).toBe(true)
      expect(answer.content[0]?.text).toContain('max_characters')
    },
  )
}
