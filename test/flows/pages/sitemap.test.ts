import { beforeAll, describe, expect, test } from 'vitest'
import { suspendSchool } from '../../../src/domain/schools/suspend-school.ts'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { Visitor } from '../../support/browser-like.ts'
import { whenFileIsDone } from '../../support/clean-up.ts'
import { daysFromNow } from '../../support/learning.ts'
import { connect } from '../../support/postgres.ts'
import { rowsRead } from '../../support/rows-read.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'

const world = await aWorld()
const client = await connect(world.database.connection)
whenFileIsDone(() => client.end())

/** What the files of a sitemap hold, following its index as a search engine does. */
async function crawl(school: TestSchool) {
  const visitor = new Visitor(world, school)
  const robots = (await visitor.get('/robots.txt')).body
  const [, index = ''] = /^Sitemap: (.*)$/m.exec(robots) ?? []
  const files = addressesIn(await read(visitor, index))
  const pages = new Map<string, string[]>()
  for (const file of files) pages.set(file, addressesIn(await read(visitor, file)))
  return { visitor, files, pages, all: [...pages.values()].flat() }
}

async function read(visitor: Visitor, address: string): Promise<string> {
  const answer = await visitor.get(new URL(address).pathname)
  expect(answer.statusCode, address).toBe(200)
  expect(answer.headers['content-type']).toBe('application/xml; charset=utf-8')
  expect(answer.headers['cache-control']).toBe('public, max-age=300')
  expect(answer.body).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<(urlset|sitemapindex) /)
  return answer.body
}

const addressesIn = (xml: string) =>
  [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, at = '']) => at)

/** One object of each kind that visitors see, and others that they do not. */
async function addSome({ db }: TestSchool): Promise<void> {
  const changed = { created_at: daysFromNow(-30), updated_at: new Date('2026-01-02T03:04:05Z') }
  const money = { currency: 'USD', price_amount: 100 }
  const meets = { starts_at: daysFromNow(1), ends_at: daysFromNow(2) }
  const row = (slug: string) => ({ id: uuidv7(), slug, title: slug, ...changed })
  const states = [
    { slug: 'shown', state: 'published', published_at: new Date('2026-01-01T00:00:00Z') },
    { slug: 'planned', state: 'published', published_at: daysFromNow(1) },
    { slug: 'draft', state: 'draft', published_at: null },
  ] as const
  for (const { slug, ...state } of states) {
    await db.insert('courses', { ...row(slug), ...money, ...state }).execute()
    await db.insert('posts', { ...row(slug), ...state }).execute()
    await db.insert('pages', { ...row(slug), ...state }).execute()
  }
  const archived = {
    state: 'archived',
    published_at: daysFromNow(-9),
    archived_at: new Date(),
  } as const
  await db.insert('courses', { ...row('archived'), ...money, ...archived }).execute()
  for (const slug of ['shown', 'draft']) {
    const state = slug === 'shown' ? 'published' : 'draft'
    const { title: name, ...plan } = row(slug)
    await db
      .insert('membership_plans', { ...plan, ...money, name, interval: 'month', state })
      .execute()
    await db.insert('digital_products', { ...row(slug), ...money, state }).execute()
    await db.insert('events', { ...row(slug), ...money, ...meets, state }).execute()
  }
  await db.insert('events', { ...row('canceled'), ...money, ...meets, state: 'canceled' }).execute()
  const form = { ...row('asked'), fields: JSON.stringify([]), state: 'open' } as const
  await db.insert('forms', form).execute()
}

describe('the sitemap of a school', () => {
  test('has what visitors see, and each of it is there; nothing that they do not, nor of another school', async () => {
    const [school, other] = [await world.aSchool(), await world.aSchool()]
    await addSome(school)
    const row = { id: uuidv7(), slug: 'elsewhere', title: 'Elsewhere' }
    await other.db
      .insert('posts', { ...row, state: 'published', published_at: new Date() })
      .execute()
    const { visitor, pages, all } = await crawl(school)
    const kinds = ['courses', 'plans', 'products', 'events', 'posts', 'pages']
    const at = (path: string) => school.origin + path
    expect([...pages]).toEqual([
      [at('/sitemap-site.xml'), [at('/'), at('/docs')]],
      ...kinds.map((kind) => [at(`/sitemap-${kind}.xml`), [at(`/${kind}`), at(`/${kind}/shown`)]]),
    ])
    for (const address of all) {
      const { statusCode, body } = await visitor.get(new URL(address).pathname)
      expect([address, statusCode]).toEqual([address, 200])
      expect(body).toContain(`<link rel="canonical" href="${address}"/>`)
    }
    const posts = await read(visitor, at('/sitemap-posts.xml'))
    expect(posts).toContain('<lastmod>2026-01-02T03:04:05.000Z</lastmod>')
  })

  test('of a school without anything has its home and its guide', async () => {
    const school = await world.aSchool()
    const { visitor, all } = await crawl(school)
    expect(all).toEqual([`${school.origin}/`, `${school.origin}/docs`])
    for (const path of [
      'posts',
      'posts-0',
      'posts-0000',
      'posts-G',
      'users',
      'constructor',
      '..%2fx',
      '%00',
    ]) {
      expect((await visitor.get(`/sitemap-${path}.xml`)).statusCode, path).toBe(404)
    }
  })

  test('is not sent again to a client that has it', async () => {
    const school = await world.aSchool()
    await addSome(school)
    const visitor = new Visitor(world, school)
    for (const path of ['/sitemap.xml', '/sitemap-posts.xml', '/robots.txt']) {
      const { etag = '' } = (await visitor.get(path)).headers
      const again = await world.app.inject({
        ...{
          url: path,
          headers: { host: new URL(school.origin).host, 'if-none-match': String(etag) },
        },
      })
      expect([path, again.statusCode, again.body]).toEqual([path, 304, ''])
    }
  })

  test('of a suspended school is 503 like everything else', async () => {
    const school = await world.aSchool()
    await addSome(school)
    const by = { via: 'command_line', roles: ['owner'], origin: school.origin } as const
    await school.db.transaction((tx) => suspendSchool(tx, by))
    world.context.directory.forget(school.id)
    for (const path of [
      '/sitemap.xml',
      '/sitemap-posts.xml',
      '/sitemap-site.xml',
      '/search?q=shown',
    ]) {
      const answer = await new Visitor(world, school).get(path)
      expect([path, answer.statusCode]).toEqual([path, 503])
      expect(answer.body).not.toContain('<loc>')
    }
  })
})

describe('the sitemap of a large school', () => {
  const MANY = 40_000
  /** The most that one file holds, and what the index may read of each kind to divide it. */
  const [IN_FILE, TO_DIVIDE] = [5_000, 10_000]
  let school: TestSchool

  beforeAll(async () => {
    school = await world.aSchool()
    await client.query(
      `insert into posts (school_id, id, slug, title, state, published_at)
       select $1::uuid, md5(i || $1::text)::uuid, 'post-' || i, 'Post', 'published', now() - interval '1 day'
       from generate_series(1, ${MANY}) i`,
      [school.id],
    )
    await client.query('vacuum analyze posts')
  })

  test('is divided into files of a bounded length that have each page once', async () => {
    const { files, pages, all } = await crawl(school)
    expect(files).toHaveLength(1 + 16)
    expect(Math.max(...[...pages.values()].map(({ length }) => length))).toBeLessThanOrEqual(
      IN_FILE,
    )
    const posts = all.filter((at) => at.includes('/posts/'))
    expect([posts.length, new Set(posts).size]).toEqual([MANY, MANY])
    expect(all).toHaveLength(MANY + 3)
  })

  test('is read in one statement a file, which reads no more rows than the file has', async () => {
    const sent: { text: string; values: readonly unknown[] }[] = []
    const visitor = new Visitor(world, school)
    const costOf = async (path: string) => {
      sent.length = 0
      await visitor.get(path)
      const [only, ...others] = sent
      expect(others).toEqual([])
      return await rowsRead(client, only?.text ?? '', only?.values ?? [])
    }
    world.database.onStatement((text, values) => sent.push({ text, values }))
    expect(await costOf('/sitemap-posts-2a.xml')).toBeLessThan(IN_FILE / 10)
    expect(await costOf('/sitemap-posts.xml')).toBeLessThanOrEqual(IN_FILE)
    expect(await costOf('/sitemap.xml')).toBeLessThan(TO_DIVIDE)
  })
})
