import { describe, expect, test } from 'vitest'
import { renderMissing } from '../../../src/domain/content/rendered-texts.ts'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { Visitor } from '../../support/browser-like.ts'
import { daysFromNow } from '../../support/learning.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const HOSTILE = `Say "hi" & <b>go</b>\u202e${'long '.repeat(100)}`
const MARKDOWN = '## What you learn\n\n**Bold** words, [a link](https://x.example) & `code`.'
const PLAIN = 'What you learn Bold words, a link &amp; code.'
const TOMORROW = daysFromNow(1)

/** One object of each kind with the slug `one`. */
async function createOneOfEach(school: TestSchool, state: 'draft' | 'published' = 'published') {
  const row = () => ({ id: uuidv7(), slug: 'one', title: 'One', state })
  const dated = { published_at: state === 'published' ? daysFromNow(-1) : null }
  const money = { currency: 'USD', price_amount: 100 }
  const { db } = school
  await db.insert('courses', { ...row(), ...dated, ...money, description: MARKDOWN }).execute()
  await db
    .insert('events', {
      ...{ ...row(), ...money, description: MARKDOWN, online_url: 'https://room.example/secret' },
      ...{ starts_at: TOMORROW, ends_at: daysFromNow(2) },
    })
    .execute()
  await db.insert('posts', { ...row(), ...dated, body: MARKDOWN }).execute()
  await db.insert('pages', { ...row(), ...dated, body: MARKDOWN }).execute()
  const { title: name, ...plan } = row()
  await db
    .insert('membership_plans', {
      ...{ ...plan, ...money, name, interval: 'month', description: MARKDOWN },
    })
    .execute()
  await db.insert('digital_products', { ...row(), ...money, description: MARKDOWN }).execute()
  await renderMissing(world.database.db)
}

async function addFile({ db }: TestSchool, content_type: string): Promise<string> {
  const id = uuidv7()
  const bytes = { size_bytes: 1, sha256: Buffer.alloc(32), storage_key: id }
  await db.insert('files', { id, name: 'cover', content_type, ...bytes }).execute()
  return id
}

const PATHS = [
  '/courses/one',
  '/events/one',
  '/posts/one',
  '/pages/one',
  '/plans/one',
  '/products/one',
]

/** What stands in the head, by the name of the tag; the others count as one of no name. */
function headOf(html: string): Record<string, string> {
  const head = html.slice(0, html.indexOf('</head>'))
  const tags = head.matchAll(
    /<(?:meta (?:name|property)|link rel)="([^"]+)" (?:content|href)="([^"]*)"/g,
  )
  return Object.fromEntries([...tags].map(([, name = '', value = '']) => [name, value]))
}

const SAID = ['canonical', 'description', /^og:/]
const saidIn = (html: string) =>
  Object.keys(headOf(html)).filter((name) =>
    SAID.some((said) => (typeof said === 'string' ? said === name : said.test(name))),
  )

describe('a public page says', () => {
  test.each(PATHS)('what it is, where it is and who shows it: %s', async (path) => {
    const school = await world.aSchool()
    await createOneOfEach(school)
    const { body } = await new Visitor(world, school).get(`${path}?utm_source=line&preview=1`)
    expect(headOf(body)).toMatchObject({
      canonical: school.origin + path,
      description: PLAIN,
      'og:title': 'One',
      'og:description': PLAIN,
      'og:type': path === '/posts/one' ? 'article' : 'website',
      'og:url': school.origin + path,
      'og:site_name': `School ${school.subdomain}`,
    })
    expect(headOf(body)).not.toHaveProperty('og:image')
    expect(headOf(body)).not.toHaveProperty('robots')
    expect(body.slice(0, body.indexOf('</head>'))).not.toContain('secret')
  })

  test('on the home what the school is, and on lists what they begin with', async () => {
    const school = await world.aSchool()
    await createOneOfEach(school)
    await world.database.pool.query('update schools set description = $2 where id = $1', [
      ...[school.id, HOSTILE],
    ])
    world.context.directory.forget(school.id)
    const visitor = new Visitor(world, school)
    const home = headOf((await visitor.get('/')).body)
    expect(home).toMatchObject({
      canonical: `${school.origin}/`,
      'og:title': `School ${school.subdomain}`,
      description: expect.stringMatching(/^Say &quot;hi&quot; &amp; &lt;b>go&lt;\/b>long long.*…$/),
    })
    expect(home.description?.length).toBeLessThan(250)
    for (const list of ['courses', 'events', 'posts', 'pages', 'plans', 'products']) {
      const { canonical, description } = headOf((await visitor.get(`/${list}`)).body)
      expect([canonical, description]).toEqual([`${school.origin}/${list}`, 'One'])
    }
  })

  test('a text that is not rendered yet as it was written, and a summary before the text', async () => {
    const school = await world.aSchool()
    await createOneOfEach(school)
    await school.db.update('courses').set({ summary: 'In short' }).execute()
    await school.db.update('posts').set({ body: '*As* written' }).execute()
    const visitor = new Visitor(world, school)
    expect(headOf((await visitor.get('/courses/one')).body).description).toBe('In short')
    expect(headOf((await visitor.get('/posts/one')).body).description).toBe('*As* written')
  })

  test('a picture only if it is the cover of the course or the logo of the school', async () => {
    const school = await world.aSchool()
    await createOneOfEach(school)
    const visitor = new Visitor(world, school)
    const imageOf = async (path: string) => headOf((await visitor.get(path)).body)['og:image']
    const handout = await addFile(school, 'application/pdf')
    await school.db.update('courses').set({ cover_file_id: handout }).execute()
    expect(await imageOf('/courses/one')).toBeUndefined()
    const cover = await addFile(school, 'image/png')
    await school.db.update('courses').set({ cover_file_id: cover }).execute()
    expect(await imageOf('/courses/one')).toBe(`${school.origin}/files/${cover}`)
    expect(await imageOf('/posts/one')).toBeUndefined()
    const logo = await addFile(school, 'image/png')
    await school.db
      .insert('appearances', {
        ...{ primary_color: '#123456', accent_color: '#123456' },
        logo_file_id: logo,
      })
      .execute()
    world.context.directory.forget(school.id)
    expect(await imageOf('/posts/one')).toBe(`${school.origin}/files/${logo}`)
    expect(await imageOf('/courses/one')).toBe(`${school.origin}/files/${cover}`)
  })

  test('nothing of another Host or of a forwarded one: the address is that of the school', async () => {
    const school = await world.aSchool()
    await createOneOfEach(school)
    const { body } = await world.app.inject({
      url: '/posts/one',
      headers: { host: new URL(school.origin).host, 'x-forwarded-host': 'evil.example' },
    })
    expect(headOf(body).canonical).toBe(`${school.origin}/posts/one`)
  })
})

describe('a page that is not for everyone says nothing', () => {
  test('for owners who look at a draft, or at a public page as visitors see it', async () => {
    for (const state of ['draft', 'published'] as const) {
      const school = await world.aSchool()
      await createOneOfEach(school, state)
      const owner = await anOwner(world, school)
      for (const path of PATHS) {
        const { statusCode, body } = await owner.get(`${path}?preview=1`)
        expect([path, statusCode, saidIn(body), headOf(body).robots]).toEqual([
          path,
          200,
          [],
          'noindex',
        ])
      }
    }
  })

  test('in the account, at sign-in, in the admin area, on forms, searches, later pages and what is not there', async () => {
    const school = await world.aSchool()
    await createOneOfEach(school, 'draft')
    const owner = await signedIn(world, school, await world.aMember(school, ['owner']))
    const visitor = new Visitor(world, school)
    const pages = [
      ...(await Promise.all(
        ['/account', '/account/settings', '/admin'].map((at) => owner.get(at)),
      )),
      ...(await Promise.all(
        [...PATHS, '/sign-in', '/consent?request=x', '/search?q=one', '/nothing'].map((at) =>
          visitor.get(at),
        ),
      )),
    ]
    for (const { body } of pages) {
      expect([saidIn(body), headOf(body).robots]).toEqual([[], 'noindex'])
    }
  })
})
