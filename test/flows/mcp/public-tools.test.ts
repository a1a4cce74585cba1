import { describe, expect, test } from 'vitest'
import { UNREVIEWED_SCOPES } from '../../../src/domain/clients/scope-catalogue.ts'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { verifies } from '../../spec/verifies.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'
import { callTool, post, type Rpc, request, useTool } from './tool-endpoint.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const elsewhere = await world.aSchool()

type Row = Record<string, unknown>

const PAST = new Date('2024-01-01T00:00:00Z')
const FUTURE = new Date('2999-01-01T00:00:00Z')
const hour = (n: number) => new Date(Date.UTC(2024, 0, 1, n))

/** Creates one object of each kind in this state, all with the same name. */
async function createOneOfEach(
  db: TestSchool['db'],
  slug: string,
  state: 'draft' | 'published',
  publishedAt: Date = PAST,
): Promise<void> {
  const text = `The secret of ${slug}`
  const named = { id: uuidv7(), slug, title: slug }
  const priced = { price_amount: 1999, currency: 'USD' }
  const published_at = state === 'published' ? publishedAt : null
  await db
    .insert('courses', { ...named, ...priced, state, published_at, description: text })
    .execute()
  await db.insert('posts', { ...named, state, published_at, body: text }).execute()
  await db.insert('pages', { ...named, state, published_at, body: text }).execute()
  await db
    .insert('events', {
      ...named,
      ...priced,
      state,
      description: text,
      starts_at: FUTURE,
      ends_at: new Date(FUTURE.getTime() + 3_600_000),
      online_url: 'https://meet.example/for-guests-only',
    })
    .execute()
  await db.insert('digital_products', { ...named, ...priced, state, description: text }).execute()
  await db
    .insert('membership_plans', {
      id: uuidv7(),
      slug,
      name: slug,
      ...priced,
      state,
      interval: 'month',
      description: text,
    })
    .execute()
}

await createOneOfEach(school.db, 'shown', 'published')
await createOneOfEach(school.db, 'draft', 'draft')
await createOneOfEach(elsewhere.db, 'foreign', 'published')

const LISTS = [
  ['list_courses', 'courses', 'course'],
  ['list_events', 'events', 'event'],
  ['list_membership_plans', 'membershipPlans', 'membership_plan'],
  ['list_digital_products', 'digitalProducts', 'digital_product'],
  ['list_posts', 'posts', 'post'],
  ['list_pages', 'pages', 'page'],
] as const

const rows = async (tool: string, list: string, given: object = {}): Promise<Row[]> =>
  (await useTool<Record<string, Row[]>>(world, school, tool, given))[list] ?? []

for (const [tool, list, kind] of LISTS) {
  describe(tool, () => {
    verifies('mcp.anonymous', `${tool}: only what is published at this school`, async () => {
      const slugs = (await rows(tool, list)).map(({ slug }) => slug)
      expect(slugs).toEqual(['shown'])
    })

    test('a text is read by its id, not a draft or a text of another school', async () => {
      const found = await useTool(world, school, 'fetch', { id: `${kind}:shown` })
      expect(found.text).toBe('The secret of shown')
      for (const slug of ['draft', 'foreign']) {
        const answer = await callTool(world, school, 'fetch', { id: `${kind}:${slug}` })
        expect(answer.isError).toBe(true)
      }
    })

    test('is searched by words, with wildcards as plain characters', async () => {
      expect(await rows(tool, list, { search: 'SECRET show' })).toHaveLength(1)
      expect(await rows(tool, list, { search: 'secret nothing' })).toEqual([])
      expect(await rows(tool, list, { search: '%' })).toEqual([])
      expect(await rows(tool, list, { search: '_' })).toEqual([])
      expect(await rows(tool, list, { search: "'; drop table courses --" })).toEqual([])
    })
  })
}

test('a null character, which PostgreSQL cannot store, is a wrong argument', async () => {
  for (const [tool, given] of [
    ['search', { query: 'a\0b' }],
    ['list_posts', { search: '\0' }],
    ['get_course', { slug: '\0' }],
    ['fetch', { id: 'post:\0' }],
    ['list_posts', { 'a\0b': true }],
    ['list_posts', { search: ['deep', { down: 'a\0b' }] }],
  ] as const) {
    const { isError, content } = await callTool(world, school, tool, given)
    expect(isError).toBe(true)
    expect(content[0]?.text).toMatch(/^The message holds a NUL character .* Remove it/)
  }
})

test('search finds every kind, and only what is published at this school', async () => {
  const { results } = await useTool<{ results: Row[] }>(world, school, 'search', {
    query: 'secret',
  })
  expect(results.map(({ id }) => id)).toEqual(LISTS.map(([, , kind]) => `${kind}:shown`))
  for (const { id, restUrl } of results) {
    const whole = await useTool(world, school, 'fetch', { id })
    expect(restUrl).toBe(whole.restUrl)
  }
})

test('objects with a future date are not shown', async () => {
  const early = await world.aSchool()
  await createOneOfEach(early.db, 'early', 'published', FUTURE)
  for (const [tool, list] of [
    ['list_courses', 'courses'],
    ['list_posts', 'posts'],
    ['list_pages', 'pages'],
  ] as const) {
    const shown = await useTool<Record<string, Row[]>>(world, early, tool)
    expect(shown[list]).toEqual([])
  }
  for (const id of ['course:early', 'post:early', 'page:early']) {
    expect((await callTool(world, early, 'fetch', { id })).isError).toBe(true)
  }
})

test('the online URL of an event is not shown', async () => {
  const answer = await callTool(world, school, 'list_events')
  expect(JSON.stringify(answer)).not.toContain('for-guests-only')
  expect(answer.structuredContent).toMatchObject({ events: [{ isOnline: true }] })
})

describe('a long list', () => {
  test('is read in pages, each row once, in the same order', async () => {
    const long = await world.aSchool()
    for (let n = 0; n < 25; n++) await createOneOfEach(long.db, `n${n}`, 'published', hour(n % 5))
    for (const [tool, list] of LISTS) {
      const seen: unknown[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: Record<string, Row[]> & { nextCursor?: string | null } = await useTool(
          world,
          long,
          tool,
          { limit: 7, cursor },
        )
        seen.push(...(page[list] ?? []).map(({ slug }) => slug))
        cursor = page.nextCursor ?? null
      }
      expect(new Set(seen).size, tool).toBe(25)
      expect(seen).toHaveLength(25)
    }
  })

  test('of another kind refuses its cursor', async () => {
    const both = await world.aSchool()
    for (let n = 0; n < 2; n++) await createOneOfEach(both.db, `n${n}`, 'published', hour(n))
    const { nextCursor: cursor } = await useTool(world, both, 'list_courses', { limit: 1 })
    const refused = await callTool(world, both, 'list_posts', { limit: 1, cursor })
    expect(refused.isError).toBe(true)
    expect(JSON.stringify(refused.content)).toContain('not one that this list gave')
  })
})

describe('a course', () => {
  test('shows its outline in order, with only the names of its lectures', async () => {
    const { id: course_id } = await school.db
      .from('courses')
      .select('id')
      .where('slug', '=', 'shown')
      .executeTakeFirstOrThrow()
    const section_id = uuidv7()
    await school.db
      .insert('sections', { id: section_id, course_id, position: 0, title: 'Beginnings' })
      .execute()
    await school.db
      .insert(
        'lectures',
        [1, 0].map((position) => ({
          id: uuidv7(),
          course_id,
          section_id,
          position,
          title: `Lecture ${position}`,
          duration_seconds: 60,
          body: 'for students only',
        })),
      )
      .execute()
    const answer = await callTool(world, school, 'get_course', { slug: 'shown' })
    expect(answer.structuredContent).toMatchObject({
      course: { slug: 'shown', priceAmount: 1999, lectureCount: 2, durationSeconds: 120 },
      sections: [
        { title: 'Beginnings', lectures: [{ title: 'Lecture 0' }, { title: 'Lecture 1' }] },
      ],
      nextCursor: null,
    })
    expect(JSON.stringify(answer)).not.toContain('for students only')
  })

  test('that is a draft is not found', async () => {
    const answer = await callTool(world, school, 'get_course', { slug: 'draft' })
    expect(answer.isError).toBe(true)
    expect(answer.content[0]?.text).toContain('list_courses')
  })
})

describe('every tool', async () => {
  interface Listed {
    readonly name: string
    readonly title: string
    readonly description: string
    readonly annotations: Row
    readonly inputSchema: Row
    readonly outputSchema: Row
    readonly securitySchemes: readonly Row[]
    readonly _meta: Row
  }
  const list = await post(world, school, request('tools/list'))
  const tools = list.json<Rpc<{ tools: Listed[] }>>().result?.tools ?? []

  for (const tool of tools) {
    verifies('mcp.security-schemes', `${tool.name} says twice when a login is needed`, () => {
      expect(tool.securitySchemes).toEqual([
        tool.name === 'sign_in'
          ? { type: 'oauth2', scopes: UNREVIEWED_SCOPES.toArray() }
          : { type: 'noauth' },
      ])
      expect(tool._meta.securitySchemes).toEqual(tool.securitySchemes)
    })

    verifies('mcp.answers.declared', `${tool.name} declares a length if its caller may`, () => {
      const { properties } = tool.inputSchema as { properties: Row }
      const longest = 'max_characters' in properties ? 200_000 : undefined
      expect(tool._meta['anthropic/maxResultSizeChars']).toBe(longest)
    })

    test(`${tool.name} is described, with all four hints and both schemas`, () => {
      expect(tool.name).toMatch(/^[a-z_]{1,64}$/)
      expect(tool.title.length).toBeGreaterThan(3)
      expect(tool.description).toMatch(/[Rr]eads only|changes nothing/)
      expect(tool.annotations).toEqual({
        title: tool.title,
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      })
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(tool.outputSchema).toMatchObject({ type: 'object' })
      expect(JSON.stringify(tool)).not.toMatch(/"\$ref":"http/)
    })
  }
})
