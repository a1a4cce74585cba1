import { describe, expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { Visitor } from '../../support/browser-like.ts'
import { daysFromNow } from '../../support/learning.ts'
import { signedIn } from '../../support/operator-like.ts'
import { standingClock } from '../../support/standing-clock.ts'
import { aWorld, sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()

async function aPost({ db }: TestSchool, title: string, body = '', more: object = {}) {
  const published = { state: 'published' as const, published_at: daysFromNow(-1) }
  const id = uuidv7()
  await db.insert('posts', { id, slug: `p-${id}`, title, body, ...published, ...more }).execute()
}

const search = (school: TestSchool, q: string) =>
  new Visitor(world, school).get(`/search?${new URLSearchParams({ q })}`)

const titlesIn = (html: string) =>
  [...html.matchAll(/<h2 dir="auto"><a href="[^"]*">([^<]*)<\/a>/g)].map(([, title]) => title)

const found = async (school: TestSchool, q: string) => titlesIn((await search(school, q)).body)

describe('the search of a school', () => {
  test('is a field on its public pages, and finds each kind, titles first, with a link that works', async () => {
    const school = await world.aSchool()
    const { db } = school
    const row = (slug: string) => ({ id: uuidv7(), slug, title: `Ink ${slug}` })
    const dated = { state: 'published' as const, published_at: daysFromNow(-1) }
    const money = { currency: 'USD', price_amount: 100, state: 'published' as const }
    await aPost(school, 'Only in the text', 'a pot of **ink**')
    const { title: name, ...plan } = row('plan')
    await db
      .insert('courses', { ...row('course'), ...money, ...dated, summary: 'For pens' })
      .execute()
    await db.insert('membership_plans', { ...plan, ...money, name, interval: 'month' }).execute()
    await db.insert('digital_products', { ...row('book'), ...money }).execute()
    const meets = { starts_at: daysFromNow(1), ends_at: daysFromNow(2) }
    await db.insert('events', { ...row('event'), ...money, ...meets }).execute()
    await db.insert('pages', { ...row('page'), ...dated }).execute()
    const visitor = new Visitor(world, school)
    for (const path of ['/', '/courses', '/courses/course', '/docs', '/search']) {
      expect((await visitor.get(path)).body).toContain('<form method="get" action="/search">')
    }
    const { body, headers } = await search(school, '  INK ')
    expect(titlesIn(body)).toEqual([
      ...['Ink course', 'Ink event', 'Ink plan', 'Ink book', 'Ink page', 'Only in the text'],
    ])
    expect(body).toContain('For pens')
    expect(body).toContain('value="INK"')
    expect(headers['cache-control']).toContain('no-store')
    for (const [, path = ''] of body.matchAll(/<h2 dir="auto"><a href="([^"]*)">/g)) {
      expect([path, (await visitor.get(path)).statusCode]).toEqual([path, 200])
    }
  })

  test('finds Chinese words of one and two letters, and says that one Latin letter is too short', async () => {
    const school = await world.aSchool()
    await aPost(school, '水彩入門', '畫山與水')
    await aPost(school, '木琴')
    expect(await found(school, '水')).toEqual(['水彩入門'])
    expect(await found(school, '木琴')).toEqual(['木琴'])
    expect(await found(school, '入門 山')).toEqual(['水彩入門'])
    expect(await found(school, '琴木')).toEqual([])
    const short = await search(school, 'p')
    expect(short.body).toContain('Write at least two letters')
  })

  test('shows at most ten of a kind, and says so', async () => {
    const school = await world.aSchool()
    for (let n = 0; n < 12; n++) await aPost(school, `Lesson ${n}`)
    const { body } = await search(school, 'lesson')
    expect(titlesIn(body)).toHaveLength(10)
    expect(body).toContain('At most 10 of each kind are shown')
  })

  test('answers more searches of an address than a minute has with 429, and no other pages', async () => {
    standingClock()
    const strict = await aWorld({
      connection: world.database.connection,
      directory: world.context.directory,
      limits: { toolCallsPerMinute: 3 },
    })
    const school = await world.aSchool()
    const visitor = new Visitor(strict, school)
    const codes: number[] = []
    for (let n = 0; n < 4; n++) codes.push((await visitor.get('/search?q=any')).statusCode)
    expect(codes).toEqual([200, 200, 200, 429])
    expect((await visitor.get('/search')).statusCode).toBe(200)
    expect((await visitor.get('/courses')).statusCode).toBe(200)
  })
})

describe('an attacker who searches', () => {
  test.each([
    ['a NUL', 'a\0b'],
    ['signs of LIKE', '%%__%%'],
    ['a quote', "x'; drop table posts; --"],
    ['a backslash', 'a\\'],
    ['a regular expression that takes long', '(a+)+$'],
    ['markup', '"><script>alert(1)</script>'],
    ['half a letter', '\ud83d\ud83d'],
    ['letters that turn the line', '\u202eabc'],
    ['a very long word', 'a'.repeat(3000)],
    ['very many words', 'aa '.repeat(1000)],
  ])('for %s gets a page, on which it does nothing', async (_, q) => {
    const school = await world.aSchool()
    await aPost(school, 'Percent 100% _under_')
    const { statusCode, body } = await search(school, q)
    expect(statusCode).toBe(200)
    expect(titlesIn(body)).toEqual([])
    expect(body).not.toMatch(/<script|\0/)
    expect(body.slice(body.indexOf('<main'))).not.toContain('\u202e')
    expect(await found(school, '100%')).toEqual(['Percent 100% _under_'])
  })

  test('finds no draft, nothing that is planned, archived or canceled, no lecture, no form, no file, no person and nothing of another school', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    const { db } = school
    const word = 'xylophone'
    const row = () => ({ id: uuidv7(), slug: `s-${uuidv7()}`, title: word })
    const money = { currency: 'USD', price_amount: 100 }
    const tomorrow = { state: 'published' as const, published_at: daysFromNow(1) }
    const meets = { starts_at: daysFromNow(1), ends_at: daysFromNow(2) }
    const archived = { published_at: daysFromNow(-9), archived_at: new Date() }
    await aPost(other, word)
    await aPost(school, word, word, { state: 'draft', published_at: null })
    await aPost(school, word, word, tomorrow)
    await db.insert('pages', { ...row(), ...tomorrow }).execute()
    await db.insert('courses', { ...row(), ...money, state: 'archived', ...archived }).execute()
    await db.insert('courses', { ...row(), ...money, ...tomorrow }).execute()
    for (const state of ['draft', 'canceled'] as const) {
      const online_url = `https://room.example/${word}`
      await db.insert('events', { ...row(), ...money, ...meets, state, online_url }).execute()
    }
    for (const state of ['draft', 'archived'] as const) {
      await db.insert('digital_products', { ...row(), ...money, state }).execute()
      const { title: name, ...plan } = row()
      const each = { interval: 'month' as const, state }
      await db.insert('membership_plans', { ...plan, ...money, name, ...each }).execute()
    }
    await db.insert('forms', { ...row(), fields: '[]', state: 'open' }).execute()
    const course_id = uuidv7()
    const shown = { state: 'published' as const, published_at: daysFromNow(-1) }
    await db
      .insert('courses', { ...row(), ...money, ...shown, id: course_id, title: 'Music' })
      .execute()
    const section_id = uuidv7()
    await db.insert('sections', { id: section_id, course_id, position: 0, title: word }).execute()
    const lecture = {
      ...{ id: uuidv7(), course_id, section_id, position: 0 },
      title: word,
      body: word,
    }
    await db.insert('lectures', lecture).execute()
    const person = await world.aMember(school, ['lecturer'])
    await world.database.pool.query('update users set name = $2 where id = $1', [person.id, word])
    await db.insert('lecturers', { user_id: person.id, headline: word }).execute()
    expect(await found(school, word)).toEqual([])
    const owner = await signedIn(world, school, await world.aMember(school, ['owner']))
    expect(titlesIn((await owner.get(`/search?q=${word}`)).body)).toEqual([])
    expect(await found(school, 'music')).toEqual(['Music'])
  })
})
