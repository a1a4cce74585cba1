import { describe, expect, test } from 'vitest'
import { hiddenFields } from '../../support/browser-like.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { Desk, type Typed, wrongFields } from '../../support/school-desk.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'

const world = await aWorld()

interface Walk {
  /** Below `/admin/`. */
  readonly path: string
  /** Typed into the form for a new one, with what is wrong about it. */
  readonly bad: Typed
  readonly wrong: readonly string[]
  readonly good: Typed
  /** How the list shows it. */
  readonly shown: string
  readonly edit: Typed
  readonly edited: string
  /** Each with the words of the page after it. */
  readonly actions: readonly (readonly [path: string, words: string])[]
  readonly remove?: string
}

const WALKS: readonly Walk[] = [
  {
    path: 'courses',
    bad: { title: '', slug: 'Not A Slug', price_amount: 'much' },
    wrong: ['title', 'slug', 'price_amount'],
    good: { title: 'Watercolour', slug: 'watercolour', price_amount: '49.50', currency: 'USD' },
    shown: '$49.50',
    edit: { title: 'Watercolour II', description: '# Paint\n\n* one\n* two' },
    edited: '<h2>Paint</h2>',
    actions: [
      ['publish', 'The course is published.'],
      ['archive', 'The course is in the archive.'],
    ],
    remove: 'delete',
  },
  {
    path: 'coupons',
    bad: { code: 'lower case', percent_off: '120', ends_at: 'soon' },
    wrong: ['code', 'percent_off', 'ends_at'],
    good: { code: 'SPRING', percent_off: '20', max_redemptions: '100' },
    shown: '0 of 100',
    edit: { max_redemptions: '', ends_at: '2029-01-01T09:00' },
    edited: '2029-01-01T09:00:00.000Z',
    actions: [['archive', 'The coupon is in the archive.']],
    remove: 'delete',
  },
  {
    path: 'posts',
    bad: { title: '   ', slug: 'double--hyphen' },
    wrong: ['title', 'slug'],
    good: { title: 'New term', slug: 'new-term', body: 'It begins in *March*.' },
    shown: 'New term',
    edit: { body: '## Dates\n\nSoon.' },
    edited: '<h2>Dates</h2>',
    actions: [
      ['publish', 'The post is published.'],
      ['unpublish', 'The post is a draft again.'],
    ],
    remove: 'delete',
  },
  {
    path: 'pages',
    bad: { title: '', slug: '', position: 'first' },
    wrong: ['title', 'slug', 'position'],
    good: { title: 'About us', slug: 'about', position: '3' },
    shown: 'About us',
    edit: { position: '-1' },
    edited: '-1',
    actions: [['publish', 'The page is published.']],
    remove: 'delete',
  },
]

async function aDesk(school: TestSchool): Promise<Desk> {
  return new Desk(await anOwner(world, school))
}

async function operationsAt(school: TestSchool): Promise<unknown[]> {
  const rows = await school.at
    .from('audit_entries')
    .select(['detail', 'actor_user_id', 'subject'])
    .where('action', '=', 'operation.done')
    .orderBy('id')
    .execute()
  return rows.map(({ detail }) => detail as { operation: string; via: string })
}

describe.each(WALKS)('$path', (walk) => {
  const list = `/admin/${walk.path}`

  test('a form with mistakes comes back with what was typed and what is wrong, and saves nothing', async () => {
    const school = await world.aSchool()
    const desk = await aDesk(school)
    const answer = await desk.send(`${list}/new`, walk.bad)
    expect(answer.statusCode).toBe(422)
    expect(wrongFields(answer.body).sort()).toEqual([...walk.wrong].sort())
    expect(answer.body).toContain('<title>Error: ')
    for (const name of walk.wrong) {
      expect(answer.body).toMatch(new RegExp(`aria-describedby="[^"]*${name}-error`))
    }
    for (const typed of Object.values(walk.bad).flat()) {
      if (!/^[^<>&"]+$/.test(typed) || typed.trim() === '') continue
      expect(answer.body).toContain(`value="${typed}"`)
    }
    expect(await desk.page(list)).toContain('There is no ')
    expect(await operationsAt(school)).toEqual([])
  })

  test('is created, found, changed, acted on and removed, each with its audit entry', async () => {
    const school = await world.aSchool()
    const desk = await aDesk(school)
    const { path, body } = await desk.done(`${list}/new`, walk.good)
    expect(body).toContain('created.')
    const listed = await desk.page(list)
    expect(listed).toContain(walk.shown)
    expect(listed).toContain(`href="${path}"`)
    expect((await desk.done(`${path}/edit`, walk.edit)).body).toContain(walk.edited)
    for (const [action, words] of walk.actions) {
      expect((await desk.done(`${path}/${action}`)).body).toContain(words)
    }
    expect(await operationsAt(school)).toHaveLength(2 + walk.actions.length)
    expect(await operationsAt(school)).toContainEqual(
      expect.objectContaining({ via: 'admin_area' }),
    )
    if (walk.remove === undefined) return
    const gone = await desk.done(`${path}/${walk.remove}`)
    expect(gone.path).toBe(list)
    expect((await desk.get(path)).statusCode).toBe(404)
  })

  test('a form that nobody touched changes nothing but the version', async () => {
    const school = await world.aSchool()
    const desk = await aDesk(school)
    const { path } = await desk.done(`${list}/new`, walk.good)
    const before = await desk.page(path)
    const after = await desk.done(`${path}/edit`)
    const plain = (html: string) =>
      html.replace(
        /<time[\s\S]*?<\/time>|name="form_token" value="[^"]*"|<div[^>]*role="status"[\s\S]*?<\/div>/g,
        '',
      )
    expect(plain(after.body)).toBe(plain(before))
  })

  test('another school’s object is not found, whatever is done to it', async () => {
    const school = await world.aSchool()
    const elsewhere = await world.aSchool()
    const { path } = await (await aDesk(elsewhere)).done(`${list}/new`, walk.good)
    const owner = await anOwner(world, school)
    const { form_token = '' } = hiddenFields((await owner.get('/admin')).body, '/sign-out')
    const parts = ['', '/edit', ...walk.actions.map(([action]) => `/${action}`), `/${walk.remove}`]
    for (const part of parts) {
      expect((await owner.get(`${path}${part}`)).statusCode, part).toBe(404)
      if (part === '') continue
      const posted = await owner.post(`${path}${part}`, { form_token, title: 'Mine now' })
      expect(posted.statusCode, part).toBe(404)
    }
    expect((await owner.get(list)).body).not.toContain(path)
    expect(await operationsAt(school)).toEqual([])
    expect(await operationsAt(elsewhere)).toHaveLength(1)
  })

  test('a lecturer and a student are refused, and a stranger is asked to sign in', async () => {
    const school = await world.aSchool()
    const { path } = await (await aDesk(school)).done(`${list}/new`, walk.good)
    for (const role of ['lecturer', 'student']) {
      const visitor = await signedIn(world, school, await world.aMember(school, [role]))
      const { form_token = '' } = hiddenFields((await visitor.get('/account')).body, '/sign-out')
      for (const page of [list, `${list}/new`, path, `${path}/edit`]) {
        expect((await visitor.get(page)).statusCode, page).toBe(403)
      }
      for (const form of [`${list}/new`, `${path}/edit`, `${path}/${walk.remove}`]) {
        expect((await visitor.post(form, { form_token, title: 'x' })).statusCode, form).toBe(403)
      }
    }
    expect(await operationsAt(school)).toHaveLength(1)
  })

  test('a forged post is refused: without a token, with another session’s, from another site', async () => {
    const school = await world.aSchool()
    const { path } = await (await aDesk(school)).done(`${list}/new`, walk.good)
    const owner = await anOwner(world, school)
    const other = await anOwner(world, school)
    const own = hiddenFields((await owner.get('/admin')).body, '/sign-out').form_token ?? ''
    const stolen = hiddenFields((await other.get('/admin')).body, '/sign-out').form_token ?? ''
    for (const form of [`${list}/new`, `${path}/edit`, `${path}/${walk.remove}`]) {
      for (const fields of [{}, { form_token: stolen }]) {
        expect((await owner.post(form, fields)).statusCode, form).toBe(403)
      }
      const foreign = { origin: 'https://evil.example' }
      expect((await owner.post(form, { form_token: own }, foreign)).statusCode, form).toBe(403)
    }
    expect(await operationsAt(school)).toHaveLength(1)
  })
})
