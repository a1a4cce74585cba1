import { expect, test } from 'vitest'
import { renderMissing } from '../../../src/domain/content/rendered-texts.ts'
import { verifies } from '../../spec/verifies.ts'
import { Visitor } from '../../support/browser-like.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const HOSTILE = '# Hello\n\n**Bold** <script>alert(1)</script>\n\n[go](javascript:alert)'
const TOMORROW = new Date(Date.now() + 86_400_000)

/** Creates one object of each kind with the slug `one`, all with the same text. */
async function createOneOfEach(
  school: TestSchool,
  state: 'draft' | 'published',
  publishedAt = new Date(),
): Promise<void> {
  const common = { id: crypto.randomUUID(), slug: 'one', title: 'One' }
  const dated = { ...common, state, published_at: state === 'published' ? publishedAt : null }
  await school.db
    .insert('courses', { ...dated, description: HOSTILE, currency: 'USD', price_amount: 990 })
    .execute()
  await school.db
    .insert('events', {
      ...common,
      state,
      description: HOSTILE,
      currency: 'USD',
      online_url: 'https://room.example/secret',
      starts_at: TOMORROW,
      ends_at: new Date(TOMORROW.getTime() + 3_600_000),
    })
    .execute()
  await school.db.insert('posts', { ...dated, body: HOSTILE }).execute()
  await school.db.insert('pages', { ...dated, body: HOSTILE }).execute()
  await renderMissing(world.database.db)
}

const PATHS = ['/courses/one', '/events/one', '/posts/one', '/pages/one']

verifies(
  'pages.content.markdown',
  'courses, events, posts and pages are Markdown, and raw HTML in them is escaped',
  async () => {
    const school = await world.aSchool()
    await createOneOfEach(school, 'published')
    const visitor = new Visitor(world, school)
    const home = (await visitor.get('/')).body
    for (const path of PATHS) {
      expect(home).toContain(`href="${path}"`)
      const { body, statusCode } = await visitor.get(path)
      expect(statusCode).toBe(200)
      expect(body).toContain('<h2>Hello</h2>')
      expect(body).toContain('<strong>Bold</strong> &lt;script>alert(1)&lt;/script>')
      expect(body).not.toContain('<script')
      expect(body).not.toContain('href="javascript')
      expect(body).not.toContain('room.example')
    }
  },
)

test('what a school writes is marked with its language, and our own words stay English', async () => {
  const school = await world.aSchool()
  await createOneOfEach(school, 'published')
  const { pool } = world.database
  await pool.query("update schools set locale = 'zh-TW' where id = $1", [school.id])
  world.context.directory.forget()
  for (const path of PATHS) {
    const { body } = await new Visitor(world, school).get(path)
    expect(body).toContain('<html lang="en">')
    expect(body).toMatch(/<h1 dir="auto" lang="zh-TW">/)
    expect(body).toContain('<div class="prose" dir="auto" lang="zh-TW">')
  }
})

test('drafts, objects dated in the future and objects of another school are not found', async () => {
  const drafts = await world.aSchool()
  await createOneOfEach(drafts, 'draft')
  const ahead = await world.aSchool()
  await createOneOfEach(ahead, 'published', TOMORROW)
  const elsewhere = await world.aSchool()
  for (const path of [...PATHS, '/courses/a%00b']) {
    expect((await new Visitor(world, drafts).get(path)).statusCode).toBe(404)
    expect((await new Visitor(world, elsewhere).get(path)).statusCode).toBe(404)
  }
  for (const path of ['/courses/one', '/posts/one', '/pages/one']) {
    expect((await new Visitor(world, ahead).get(path)).statusCode).toBe(404)
  }
})
