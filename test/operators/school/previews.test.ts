import { describe, expect, test } from 'vitest'
import { AdminBrowser, errorsIn } from '../../support/admin-browser.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aCourse } from '../../support/learning.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { sharedWorld } from '../../support/world.ts'

const world = await sharedWorld()

const LATER = { starts_at: '2099-02-01T18:00', ends_at: '2099-02-01T20:00' }
const MARK = 'This is a preview.'

describe('a draft', () => {
  test.each([
    ['courses', { title: 'Fresco' }],
    ['posts', { title: 'Fresco', body: 'Wet *plaster*.' }],
    ['pages', { title: 'Fresco' }],
    ['events', { title: 'Fresco', ...LATER }],
    ['plans', { name: 'Fresco', price_amount: '9', interval: 'month' }],
    ['products', { title: 'Fresco', price_amount: '9' }],
    ['forms', { title: 'Fresco' }],
  ])('of %s is shown to operators as it will look, and to nobody else', async (kind, typed) => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const { body } = await new AdminBrowser(owner).done(`/admin/${kind}/new`, typed)
    const page = /href="([^"]*\?preview=1)"/.exec(body)?.[1] ?? ''
    expect(page).toBe(`/${kind}/fresco?preview=1`)
    const preview = await owner.get(page)
    expect(preview.statusCode).toBe(200)
    expect(preview.body).toContain('Fresco')
    expect(preview.body).toContain(MARK)
    expect((await owner.get(`/${kind}/fresco`)).statusCode).toBe(404)
    const student = await signedIn(world, school, await world.aMember(school))
    const elsewhere = await anOwner(world, await world.aSchool())
    for (const person of [new Visitor(world, school), student, elsewhere]) {
      expect((await person.get(page)).statusCode).toBe(404)
    }
  })

  test('of a form shows its questions, and takes no answers', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const browser = new AdminBrowser(owner)
    const { path } = await browser.done('/admin/forms/new', { title: 'Fresco' })
    await browser.done(`${path}/question`, { label: 'Which color?', kind: 'text' })
    const { body } = await owner.get('/forms/fresco?preview=1')
    expect(body).toContain('Which color?')
    expect(body).not.toContain('>Send<')
    const forced = await browser.fill(body, '/forms/fresco', { 'answer.which_color': 'Red' })
    expect(forced.statusCode).toBe(404)
  })

  test('of a course leads to its free lecture, which is a preview too, and to no other', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const course = await aCourse(school, [[{ preview: true }, {}]])
    await school.db.update('courses').set({ state: 'draft', published_at: null }).execute()
    await school.db.update('lectures').set({ body: 'Wet plaster.' }).execute()
    const { body } = await owner.get(`/courses/${course.slug}?preview=1`)
    const free = /href="([^"]*)"[^>]*>Open a free lecture/.exec(body)?.[1] ?? ''
    const lecture = await owner.get(free)
    expect(lecture.statusCode).toBe(200)
    expect(lecture.body).toContain(MARK)
    expect(lecture.body).toContain('Wet plaster.')
    expect(lecture.body).toContain(`href="/courses/${course.slug}?preview=1"`)
    const next = /neighbour-next" href="([^"]*)"/.exec(lecture.body)?.[1] ?? ''
    const locked = await owner.get(next)
    expect(locked.statusCode).toBe(403)
    expect(locked.body).toContain(MARK)
    expect(locked.body).not.toContain('Wet plaster.')
    const student = await signedIn(world, school, await world.aMember(school))
    for (const path of [free, next, `${free.split('?')[0]}/file?preview=1`]) {
      expect((await student.get(path)).statusCode).toBe(404)
      expect((await owner.get(path.split('?')[0] ?? '')).statusCode).toBe(404)
    }
  })

  test('of an event shows where members register, and takes no registration', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    await new AdminBrowser(owner).done('/admin/events/new', { title: 'Fresco', ...LATER })
    const { body } = await owner.get('/events/fresco?preview=1')
    expect(body).toContain('Here members register.')
    expect(body).not.toContain('>Register<')
  })

  test.each([
    ['courses', { title: 'Fresco' }],
    ['posts', { title: 'Fresco' }],
    ['plans', { name: 'Fresco', price_amount: '9', interval: 'month' }],
    ['products', { title: 'Fresco', price_amount: '9' }],
    ['events', { title: 'Fresco', ...LATER }],
  ])('of %s that is published since is not called a preview', async (kind, typed) => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const { path } = await new AdminBrowser(owner).done(`/admin/${kind}/new`, typed)
    const { body } = await new AdminBrowser(owner).done(`${path}/publish`)
    expect(body).toContain(`href="/${kind}/fresco"`)
    const page = await owner.get(`/${kind}/fresco?preview=1`)
    expect(page.body).not.toContain(MARK)
    expect(page.body).toContain('This page is public.')
  })

  test.each(['courses', 'posts', 'pages'] as const)(
    'of %s that is published later is offered as a preview until then',
    async (kind) => {
      const school = await world.aSchool()
      const owner = await anOwner(world, school)
      const { path } = await new AdminBrowser(owner).done(`/admin/${kind}/new`, { title: 'Fresco' })
      await new AdminBrowser(owner).done(`${path}/publish`)
      await school.db
        .update(kind)
        .set({ published_at: new Date('2099-01-01') })
        .execute()
      const { body } = await owner.get(path)
      expect(body).toContain(`href="/${kind}/fresco?preview=1"`)
      expect(body).not.toContain(`href="/${kind}/fresco"`)
      expect((await owner.get(`/${kind}/fresco?preview=1`)).body).toContain(MARK)
    },
  )

  test('that is published has no mark, also for operators', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const { path } = await new AdminBrowser(owner).done('/admin/posts/new', { title: 'Fresco' })
    await new AdminBrowser(owner).done(`${path}/publish`)
    expect((await owner.get('/posts/fresco')).body).not.toContain(MARK)
  })
})

const versionsIn = (html: string) => /<table class="versions">.*?<\/table>/s.exec(html)?.[0] ?? ''

test('a form that another person overtook shows both versions, and saves on the second try', async () => {
  const school = await world.aSchool()
  const ada = new AdminBrowser(await anOwner(world, school))
  const ben = new AdminBrowser(await anOwner(world, school))
  const { path } = await ada.done('/admin/posts/new', { title: 'Fresco', body: 'One' })
  const form = `${path}/edit`
  const overtaken = await ada.meanwhile(form, { title: 'Fresco by Ada', body: 'Two' }, () =>
    ben.done(form, { title: 'Fresco by <b>Ben</b>' }),
  )
  expect(overtaken.statusCode).toBe(409)
  const versions = versionsIn(overtaken.body)
  expect(versions).toContain('Fresco by &lt;b>Ben&lt;/b>')
  expect(versions).toContain('Fresco by Ada')
  // Ben left the text alone, so there is nothing to decide.
  expect(versions).not.toContain('One')
  expect(versions).not.toContain('Address')
  const saved = await ada.fill(overtaken.body, form, {})
  expect(saved.statusCode).toBe(303)
  expect(await ada.page(path)).toContain('Fresco by Ada')
})

test('a difference late in a long text is shown with the words before it', async () => {
  const school = await world.aSchool()
  const ada = new AdminBrowser(await anOwner(world, school))
  const ben = new AdminBrowser(await anOwner(world, school))
  const long = 'word '.repeat(1000)
  const { path } = await ada.done('/admin/posts/new', { title: 'Fresco', body: `${long}end` })
  const form = `${path}/edit`
  const overtaken = await ada.meanwhile(form, { body: `${long}end of Ada` }, () =>
    ben.done(form, { body: `${long}end of Ben` }),
  )
  const versions = versionsIn(overtaken.body)
  expect(versions).toMatch(/>… [^<]*word end of Ada</)
  expect(versions).toMatch(/>… [^<]*word end of Ben</)
  expect(versions.length).toBeLessThan(2000)
})

test('a form with a wrong field does not lose the conflict: the change of another person is shown before it is replaced', async () => {
  const school = await world.aSchool()
  const ada = new AdminBrowser(await anOwner(world, school))
  const ben = new AdminBrowser(await anOwner(world, school))
  const { path } = await ada.done('/admin/posts/new', { title: 'Fresco' })
  for (const [form, field, wrong] of [
    [`${path}/edit`, 'title', { title: '' }],
    ['/admin/details', 'name', { contact_email: 'no address' }],
    ['/admin/appearance', 'tagline', { primary_color: 'no color' }],
  ] as const) {
    const refused = await ada.meanwhile(form, wrong, () =>
      ben.done(form, { [field]: 'Written by Ben' }),
    )
    const isSame = field in wrong
    expect(refused.statusCode, form).toBe(isSame ? 409 : 422)
    expect(errorsIn(refused.body), form).toHaveLength(1)
    if (isSame) expect(versionsIn(refused.body), form).toContain('Written by Ben')
    const right = { title: 'Mine', contact_email: 'ada@school.test', primary_color: '#224466' }
    const [name = ''] = Object.keys(wrong)
    const corrected = { [name]: right[name as keyof typeof right] }
    expect((await ada.fill(refused.body, form, corrected)).statusCode, form).toBe(303)
    if (!isSame) expect(await ada.page(form), form).toContain('Written by Ben')
  }
})
