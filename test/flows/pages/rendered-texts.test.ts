import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { renderMissing } from '../../../src/domain/content/rendered-texts.ts'
import { RENDERER } from '../../../src/foundation/markdown/render-markdown.ts'
import { verifies } from '../../spec/verifies.ts'
import { anOperator, type OperatorClient } from '../../support/admin-api.ts'
import { Visitor } from '../../support/browser-like.ts'
import { anOwner } from '../../support/operator-like.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'

const world = await aWorld()
let school: TestSchool
let operator: OperatorClient
let visitor: Visitor

beforeAll(async () => {
  school = await world.aSchool()
  operator = await anOperator(world, school)
  visitor = new Visitor(world, school)
})

const HOURS = { starts_at: '2099-01-01T09:00:00Z', ends_at: '2099-01-01T10:00:00Z' }

/** Every kind of text that visitors read, with the member that holds it. */
const KINDS = [
  ['posts', 'body', {}],
  ['pages', 'body', {}],
  ['courses', 'description', {}],
  ['events', 'description', HOURS],
] as const

const AS_WRITTEN = '<p class="as-written" dir="auto" lang="en">'

async function kept(id: string): Promise<string | undefined> {
  const row = await school.db
    .from('rendered_texts')
    .select(['html', 'renderer'])
    .where('object_id', '=', id)
    .executeTakeFirst()
  return row?.renderer === RENDERER ? row.html : undefined
}

async function bodyOf(path: string): Promise<string> {
  const { statusCode, body } = await visitor.get(path)
  expect(statusCode).toBe(200)
  return body
}

async function published(kind: string, input: Record<string, unknown>): Promise<string> {
  const created = await operator.post(`/${kind}`, input)
  expect(created.statusCode, created.body).toBe(201)
  const { id } = created.json()
  expect((await operator.post(`/${kind}/${id}/publish`)).statusCode).toBe(200)
  return id
}

describe.each(KINDS)('a text of %s', (kind, member, more) => {
  const path = `/${kind}/rendered`
  let id: string

  verifies('pages.content.rendered', 'is rendered when it is created and changed', async () => {
    id = await published(kind, { slug: 'rendered', title: 'One', ...more, [member]: '**one**' })
    expect(await kept(id)).toBe('<p><strong>one</strong></p>')
    expect(await bodyOf(path)).toContain('<strong>one</strong>')

    expect((await operator.patch(`/${kind}/${id}`, { title: 'Two' })).statusCode).toBe(200)
    expect(await kept(id)).toBe('<p><strong>one</strong></p>')
    expect((await operator.patch(`/${kind}/${id}`, { [member]: '*two*' })).statusCode).toBe(200)
    expect(await kept(id)).toBe('<p><em>two</em></p>')
    expect(await bodyOf(path)).toContain('<em>two</em>')
  })

  verifies('pages.content.rendered', 'is rendered when it is imported', async () => {
    const lines = [
      { slug: 'rendered', [member]: '`three`' },
      { slug: 'rendered', title: 'Three' },
    ]
    for (const line of lines) {
      const answer = await operator.send('POST', `/${kind}/import`, {
        body: JSON.stringify(line),
        headers: { 'content-type': 'application/x-ndjson' },
      })
      expect(answer.json()).toMatchObject({ updated: 1, failed: 0 })
      expect(await kept(id)).toBe('<p><code dir="ltr">three</code></p>')
    }
    const made = { slug: 'imported', title: 'New', ...more, [member]: '# four' }
    await operator.send('POST', `/${kind}/import`, {
      body: JSON.stringify(made),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const { rows } = await sql<{ id: string }>`
      select id from ${sql.table(kind)} where school_id = ${school.id} and slug = 'imported'`.execute(
      world.database.db,
    )
    expect(await kept(rows[0]?.id ?? '')).toBe('<h2>four</h2>')
  })

  verifies(
    'pages.content.rendered',
    'that another program wrote is shown as it was written, and a visitor does not make the server render it',
    async () => {
      const text = '**five** <script>alert(1)</script>'
      await sql`
        update ${sql.table(kind)} set ${sql.ref(member)} = ${text}
        where school_id = ${school.id} and id = ${id}`.execute(world.database.db)
      expect(await bodyOf(path)).toContain(
        `${AS_WRITTEN}**five** &lt;script>alert(1)&lt;/script></p>`,
      )
      expect(await kept(id)).toBeUndefined()

      expect(await renderMissing(world.database.db)).toBe(1)
      expect(await bodyOf(path)).toContain('<strong>five</strong> &lt;script>')
      expect(await renderMissing(world.database.db)).toBe(0)
    },
  )

  verifies(
    'pages.content.rendered',
    'that an older renderer rendered is not shown so, and is rendered again; that of a newer one is shown',
    async () => {
      const set = (renderer: number) =>
        school.db
          .update('rendered_texts')
          .set({ renderer, html: '<p>other</p>' })
          .where('object_id', '=', id)
          .execute()
      await set(RENDERER - 1)
      expect(await bodyOf(path)).toContain(AS_WRITTEN)
      expect(await renderMissing(world.database.db)).toBe(1)
      expect(await bodyOf(path)).toContain('<strong>five</strong>')
      await set(RENDERER + 1)
      expect(await bodyOf(path)).toContain('<p>other</p>')
      expect(await renderMissing(world.database.db)).toBe(0)
    },
  )

  test('leaves no HTML behind when it is removed', async () => {
    const made = await operator.post(`/${kind}`, { slug: 'gone', title: 'Gone', ...more })
    const gone = made.json().id
    expect(await kept(gone)).toBe('')
    expect((await operator.send('DELETE', `/${kind}/${gone}`)).statusCode).toBe(200)
    expect(await kept(gone)).toBeUndefined()
  })
})

test('a text that was changed while it was rendered keeps the HTML of its writer', async () => {
  const made = await operator.post('/posts', { slug: 'race', title: 'Race', body: 'first' })
  const { id } = made.json()
  await school.db.delete('rendered_texts').where('object_id', '=', id).execute()
  await Promise.all([
    operator.patch(`/posts/${id}`, { body: 'second' }),
    renderMissing(world.database.db),
  ])
  expect(await kept(id)).toBe('<p>second</p>')
})

verifies(
  'pages.content.bounded',
  'quotes in quotes, each before a line that may belong to it, are saved without holding up a request of another school',
  async () => {
    const other = new Visitor(world, await world.aSchool())
    const body = '>>\nb\n'.repeat(13_000)
    const saving = operator.post('/posts', { slug: 'quotes', title: 'Quotes', body })
    expect((await other.get('/')).statusCode).toBe(200)
    const html = '<blockquote><blockquote></blockquote></blockquote><p>b</p>'.repeat(13_000)
    expect((await kept((await saving).json().id)) === html).toBe(true)
  },
)

verifies(
  'pages.content.bounded',
  'a page of the admin area shows the HTML that is kept, and does not render it again',
  async () => {
    const owner = await anOwner(world, school)
    const { id } = (await operator.post('/posts', { slug: 'k', title: 'K', body: '*k*' })).json()
    const page = async () => (await owner.get(`/admin/posts/${id}`)).body
    expect(await page()).toContain('<p><em>k</em></p>')
    await school.db
      .update('rendered_texts')
      .set({ html: '<p>kept</p>' })
      .where('object_id', '=', id)
      .execute()
    expect(await page()).toContain('<p>kept</p>')
    await school.db.delete('rendered_texts').where('object_id', '=', id).execute()
    expect(await page()).toContain('<p><em>k</em></p>')
  },
)

describe('a text that is too long', () => {
  const MOST = 64 * 1024

  verifies('house.limits.texts', 'is refused by its bytes, not by its characters', async () => {
    const create = async (body: string) =>
      (await operator.post('/posts', { slug: `s${body.length}`, title: 'Long', body })).statusCode
    expect(await create('x'.repeat(MOST))).toBe(201)
    expect(await create('x'.repeat(MOST + 1))).toBe(422)
    expect(await create('日'.repeat(21_845))).toBe(201)
    expect(await create('日'.repeat(21_846))).toBe(422)
  })

  verifies(
    'house.limits.texts',
    'but was written before there was a limit is shown whole, and everything else about it can be changed',
    async () => {
      const id = crypto.randomUUID()
      const body = `${'*old* '.repeat(30)}\n\n`.repeat(500)
      const dated = { state: 'published' as const, published_at: new Date() }
      await school.db.insert('posts', { id, slug: 'old', title: 'Old', body, ...dated }).execute()
      await renderMissing(world.database.db)
      const shown = await bodyOf('/posts/old')
      expect(shown.split('<em>old</em>')).toHaveLength(15_001)
      expect((await operator.get(`/posts/${id}`)).json().body).toBe(body)
      expect((await operator.patch(`/posts/${id}`, { title: 'Older' })).statusCode).toBe(200)
      expect((await operator.patch(`/posts/${id}`, { body })).statusCode).toBe(422)
    },
  )
})
