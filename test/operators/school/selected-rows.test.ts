import { describe, expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { actionsForMany } from '../../../src/surfaces/pages/admin/crud/selection.tsx'
import { RESOURCES } from '../../../src/surfaces/pages/admin/resources/all-resources.ts'
import { AdminBrowser, nameAskedFor } from '../../support/admin-browser.ts'
import { hiddenFields, type Visitor } from '../../support/browser-like.ts'
import { aCourse } from '../../support/learning.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()

async function posts(school: TestSchool, count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, place) => ({
    id: uuidv7(),
    slug: `post-${place}`,
    title: `Post ${place}`,
    body: '',
  }))
  await school.db.insert('posts', rows).execute()
  return rows.map(({ id }) => id)
}

const states = async (school: TestSchool) => {
  const rows = await school.db.from('posts').select(['state']).orderBy('id').execute()
  return rows.map(({ state }) => state)
}

type Fields = readonly [string, string][]

/** Sends fields as a browser sends them, whether a page has such a form or not. */
async function send(visitor: Visitor, path: string, fields: Fields) {
  const { form_token = '' } = hiddenFields((await visitor.get('/admin/posts')).body, '/sign-out')
  return await visitor.post(`${path}/selected`, [['form_token', form_token], ...fields])
}

/** The fields of the page that asks about selected rows. */
async function asked(
  visitor: Visitor,
  action: string,
  ids: readonly string[],
  path = '/admin/posts',
): Promise<Fields> {
  const query = new URLSearchParams([['action', action], ...ids.map((id) => ['id', id])])
  const { body } = await visitor.get(`${path}/selected?${query}`)
  const shown = hiddenFields(body, `${path}/selected`)
  const versions = Object.entries(shown).filter(([name]) => name.startsWith('if_version'))
  return [
    ['action', shown.action ?? ''],
    ...ids.map((id): [string, string] => ['id', id]),
    ...versions,
  ]
}

/** Answers the page that asks about selected rows with yes. */
const confirm = async (visitor: Visitor, action: string, ids: readonly string[]) =>
  await send(visitor, '/admin/posts', await asked(visitor, action, ids))

describe('selected rows of a list', () => {
  test('are named by a page that asks, and an action is done with each of them', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const [first = '', second = ''] = await posts(school, 3)
    const list = (await owner.get('/admin/posts')).body
    expect(list).toContain(`name="id" value="${first}" form="selection" aria-label="Select Post 0"`)
    const query = `action=publish&id=${first}&id=${second}`
    const question = (await owner.get(`/admin/posts/selected?${query}`)).body
    expect(question).toContain('Publish: 2 posts')
    expect(question).toContain('Post 0')
    expect(question).not.toContain('Post 2')
    const done = await confirm(owner, 'publish', [first, second])
    expect((await owner.follow(done)).body).toContain('Done with all selected rows.')
    expect(await states(school)).toEqual(['published', 'published', 'draft'])
  })

  test('are spoken of as several, and one alone as one', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const [first = '', second = ''] = await posts(school, 2)
    const question = async (...ids: readonly string[]) => {
      const query = new URLSearchParams([['action', 'delete'], ...ids.map((id) => ['id', id])])
      return (await owner.get(`/admin/posts/selected?${query}`)).body
    }
    expect(await question(first, second)).toContain('They are deleted for good, with their texts.')
    const one = await question(first)
    expect(one).toContain('Delete: 1 post')
    expect(one).toContain('It is deleted for good, with its text.')
    const done = await confirm(owner, 'delete', [first])
    expect((await owner.follow(done)).body).toContain('Done with the selected row.')
  })

  test('may be chosen for every action that needs nothing but the row, unless it asks for the name', () => {
    const others = RESOURCES.filter(({ list }) => list !== undefined).flatMap((resource) => {
      const offered = actionsForMany(resource).map(({ path }) => path)
      return resource.actions
        .filter(({ path, does }) => !('operation' in does) && !offered.includes(path))
        .map(({ path, confirmsName }) => `${resource.path} ${path}${confirmsName ? ' (name)' : ''}`)
    })
    expect(others).toEqual(['courses delete (name)', 'payments undo-refund'])
  })

  test('that cannot be changed are told with the reason, and the others are changed', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const [first = '', second = ''] = await posts(school, 2)
    await confirm(owner, 'publish', [first])
    const elsewhere = await world.aSchool()
    const [foreign = ''] = await posts(elsewhere, 1)
    const answer = await confirm(owner, 'publish', [first, second, foreign])
    expect(answer.statusCode).toBe(409)
    expect(answer.body).toContain('1 of 3 done; 2 could not be done')
    expect(answer.body).toContain('Not possible as it is now.')
    expect(answer.body).toContain('It is gone.')
    expect(await states(school)).toEqual(['published', 'published'])
    expect(await states(elsewhere)).toEqual(['draft'])
  })

  test('are not changed by a forged form, by a student, or by an action that asks for more', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const [first = ''] = await posts(school, 1)
    const forged = { form_token: 'forged', action: 'publish', id: first }
    expect((await owner.post('/admin/posts/selected', forged)).statusCode).toBe(403)
    const student = await signedIn(world, school, await world.aMember(school))
    expect((await student.post('/admin/posts/selected', forged)).statusCode).toBe(403)
    expect(await states(school)).toEqual(['draft'])
    const browser = new AdminBrowser(owner)
    await browser.done('/admin/courses/new', { title: 'Fresco' })
    const list = await browser.page('/admin/courses')
    const offered = /<form id="selection".*?<\/form>/s.exec(list)?.[0] ?? ''
    expect(offered).toContain('value="publish"')
    expect(offered).not.toContain('value="delete"')
    expect(offered).not.toContain('value="announce"')
  })

  test('are left alone by an action that the list does not offer: no other one is done instead', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const { path } = await new AdminBrowser(owner).done('/admin/courses/new', { title: 'Fresco' })
    const id = path.split('/').at(-1) ?? ''
    for (const action of ['delete', 'announce', 'nonsense', '']) {
      const fields: Fields = [
        ['action', action],
        ['id', id],
      ]
      expect((await send(owner, '/admin/courses', fields)).statusCode).toBe(400)
    }
    const courses = await school.db.from('courses').select(['state']).execute()
    expect(courses.map(({ state }) => state)).toEqual(['draft'])
  })

  test('that changed after the page asked are left alone, as are rows without the version it showed', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const [first = '', second = ''] = await posts(school, 2)
    const fields = await asked(owner, 'publish', [first, second])
    const edit = `/admin/posts/${first}/edit`
    await new AdminBrowser(await anOwner(world, school)).done(edit, { title: 'Not ready yet' })
    const answer = await send(owner, '/admin/posts', fields)
    expect(answer.statusCode).toBe(409)
    expect(answer.body).toContain('1 of 2 done; 1 could not be done')
    expect(answer.body).toContain('It changed after you selected it.')
    expect(await states(school)).toEqual(['draft', 'published'])
    const blind: Fields = [
      ['action', 'publish'],
      ['id', first],
    ]
    expect((await send(owner, '/admin/posts', blind)).statusCode).toBe(409)
    expect(await states(school)).toEqual(['draft', 'published'])
  })

  test('are not offered an action that each row would refuse: the answer to a refund is undone one by one', async () => {
    const owner = await anOwner(world, await world.aSchool())
    expect((await owner.get('/admin/payments/selected?action=undo-refund')).statusCode).toBe(404)
    expect((await owner.get('/admin/payments')).body).not.toContain('id="selection"')
  })

  test('are deleted only after their number was typed, and one alone without', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const [first = '', ...others] = await posts(school, 3)
    const query = new URLSearchParams([['action', 'delete'], ...others.map((id) => ['id', id])])
    const question = (await owner.get(`/admin/posts/selected?${query}`)).body
    expect(nameAskedFor(question)).toEqual({ confirm_name: '2' })
    const fields = await asked(owner, 'delete', others)
    for (const typed of [[], [['confirm_name', '3']]] as Fields[]) {
      const refused = await send(owner, '/admin/posts', [...fields, ...typed])
      expect(refused.statusCode).toBe(422)
      expect(refused.body).toContain('This is another number. Nothing was deleted.')
    }
    expect(await states(school)).toHaveLength(3)
    expect((await send(owner, '/admin/posts', [...fields, ['confirm_name', '2']])).statusCode).toBe(
      303,
    )
    expect((await confirm(owner, 'delete', [first])).statusCode).toBe(303)
    expect(await states(school)).toEqual([])
  })

  test('of students are enrolled in a course, and those who have it are told', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const elsewhere = await world.aSchool()
    const [course, foreign] = [await aCourse(school), await aCourse(elsewhere)]
    const people = await Promise.all([0, 1, 2].map(() => world.aMember(school)))
    const path = '/admin/students'
    const enroll = async (ids: readonly string[], course_id: string) =>
      await send(owner, path, [
        ...(await asked(owner, 'enroll', ids, path)),
        ['course_id', course_id],
        ['expires_at', ''],
      ])
    const [ada = '', ...others] = people.map(({ id }) => id)
    expect((await owner.get(path)).body).toContain('<option value="enroll">Enroll in a course')
    expect((await enroll([ada], '')).statusCode).toBe(422)
    expect((await enroll([ada], foreign.id)).statusCode).toBe(409)
    expect((await enroll([ada], course.id)).statusCode).toBe(303)
    const answer = await enroll([ada, ...others], course.id)
    expect(answer.body).toContain('2 of 3 done; 1 could not be done')
    const rows = await school.db.from('enrollments').select(['user_id', 'course_id']).execute()
    expect(new Set(rows.map(({ user_id }) => user_id))).toEqual(new Set([ada, ...others]))
    expect(rows.every(({ course_id }) => course_id === course.id)).toBe(true)
    const stranger = await world.aMember(elsewhere)
    const forged = await send(owner, path, [
      ...(await asked(owner, 'enroll', [ada], path)),
      ['id', stranger.id],
      ['course_id', course.id],
    ])
    expect(forged.body).toContain('It is gone.')
  })

  test('may be none: the page says so', async () => {
    const owner = await anOwner(world, await world.aSchool())
    const { body } = await owner.get('/admin/posts/selected?action=publish')
    expect(body).toContain('Nothing is selected.')
  })
})

describe('a person in a form', () => {
  test('is named by email or by the whole name; a part of a name takes no person unseen', async () => {
    const school = await world.aSchool()
    const browser = new AdminBrowser(await anOwner(world, school))
    for (const [name, mail] of [
      ['Mei Tanaka', 'mei@named.test'],
      ['Kit', 'kit1@named.test'],
      ['kit', 'kit2@named.test'],
      ['Kitty', 'kitty@named.test'],
    ]) {
      await browser.done('/admin/students/new', { name: name ?? '', email: mail ?? '' })
    }
    const { path } = await browser.done('/admin/courses/new', { title: 'Ink' })
    const form = `${path}/enrollments/new`
    const part = await browser.send(form, { student_id: 'tanaka' })
    expect(part.statusCode).toBe(422)
    expect(part.body).toContain('No person has exactly this name. Similar: Mei Tanaka (mei@named')
    await browser.done(form, { student_id: 'mei TANAKA' })
    const several = await browser.send(form, { student_id: 'Kit' })
    expect(several.body).toContain('Several people match')
    expect(several.body).toContain('kit (kit2@named.test)')
    expect(several.body).not.toContain('Kitty')
    expect((await browser.send(form, { student_id: 'Nemo' })).body).toContain(
      'No person here has this email or name.',
    )
    await browser.done(form, { student_id: 'kit1@named.test' })
  })
})

describe('the search of the admin area', () => {
  test('finds people, courses and content of this school, in groups that lead to the lists', async () => {
    const school = await world.aSchool()
    const browser = new AdminBrowser(await anOwner(world, school))
    await browser.done('/admin/students/new', { name: 'Quill Featherly', email: 'q@search.test' })
    await browser.done('/admin/courses/new', { title: 'Quill and ink' })
    for (let place = 0; place < 6; place += 1) {
      await browser.done('/admin/posts/new', { title: `Why quill ${place}` })
    }
    await browser.done('/admin/posts/new', { title: 'Another' })
    const html = await browser.page('/admin/search?q=QUILL')
    expect(html).toContain('Quill Featherly')
    expect(html).toContain('Quill and ink')
    expect(html).toContain('href="/admin/posts?search=QUILL"')
    expect(html).not.toContain('>Another<')
    expect(html).toContain('value="QUILL"')
    expect(await browser.page('/admin')).toContain('action="/admin/search"')
  })

  test('finds one letter where it is a word', async () => {
    const school = await world.aSchool()
    const browser = new AdminBrowser(await anOwner(world, school))
    await browser.done('/admin/students/new', { name: '王小明', email: 'wang@search.test' })
    expect(await browser.page('/admin/search?q=%E7%8E%8B')).toContain('王小明')
  })

  test('tells nothing of other schools, escapes its text, and asks for two letters', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    const elsewhere = new AdminBrowser(await anOwner(world, other))
    await elsewhere.done('/admin/courses/new', { title: 'Vellum' })
    const browser = new AdminBrowser(await anOwner(world, school))
    expect(await browser.page('/admin/search?q=vellum')).toContain('Nothing matches.')
    const hostile = await browser.page(`/admin/search?q=${encodeURIComponent('"><script>x')}`)
    expect(hostile).not.toContain('<script>x')
    expect(await browser.page('/admin/search?q=a')).toContain('at least two letters')
    const student = await signedIn(world, school, await world.aMember(school))
    expect((await student.get('/admin/search?q=vellum')).statusCode).toBe(403)
  })
})
