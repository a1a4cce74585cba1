import { beforeAll, describe, expect, test } from 'vitest'
import { EXAMPLE } from '../../../src/domain/operation/operation.ts'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { verifies } from '../../spec/verifies.ts'
import { AdminBrowser, errorsIn } from '../../support/admin-browser.ts'
import { anOrder } from '../../support/billing.ts'
import { addExamples } from '../../support/example-school.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()

let school: TestSchool
let browser: AdminBrowser

beforeAll(async () => {
  school = await world.aSchool()
  await addExamples(world, school)
  browser = new AdminBrowser(await anOwner(world, school))
})

const titlesIn = (html: string) =>
  [...html.matchAll(/class="row-link"[^>]*><bdi class="name">([^<]*)</g)].map(([, title]) => title)

describe('a list', () => {
  let mine: AdminBrowser

  beforeAll(async () => {
    const own = await world.aSchool()
    mine = new AdminBrowser(await anOwner(world, own))
    const rows = Array.from({ length: 60 }, (_, place) => ({
      id: `01981c5e-7c00-7000-8000-0000000e${String(place).padStart(4, '0')}`,
      slug: `post-${place}`,
      title: `Post ${String(place).padStart(2, '0')}`,
      body: place === 7 ? '100% of_it' : '',
      created_at: new Date(Date.UTC(2026, 0, 1, 0, place)),
    }))
    await own.db.insert('posts', rows).execute()
  })

  test('shows each row once over its pages, and the number of all rows', async () => {
    const seen: (string | undefined)[] = []
    let path: string | undefined = '/admin/posts?sort=title'
    for (let pages = 0; path !== undefined && pages < 5; pages++) {
      const html: string = await mine.page(path)
      if (pages === 0) expect(html).toContain('60 in all')
      seen.push(...titlesIn(html))
      path = /href="([^"]*after=[^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(seen).toEqual(
      Array.from({ length: 60 }, (_, at) => `Post ${String(at).padStart(2, '0')}`),
    )
  })

  test('counts to a thousand and no further: a million rows must not cost more', async () => {
    const own = await world.aSchool()
    const long = new AdminBrowser(await anOwner(world, own))
    const post = (place: number) => ({ id: uuidv7(), slug: `post-${place}`, title: 'A', body: '' })
    const thousand = Array.from({ length: 1000 }, (_, place) => post(place))
    await own.db.insert('posts', thousand).execute()
    expect(await long.page('/admin/posts')).toContain('1,000 in all')
    await own.db.insert('posts', [post(1000), post(1001)]).execute()
    expect(await long.page('/admin/posts')).toContain('1,000+ in all')
    expect(await long.page('/admin/posts?search=post-100')).toMatch(/\b3 in all/)
  })

  test('reverses its order with the heading of the sorted column', async () => {
    const html = await mine.page('/admin/posts?sort=title')
    expect(html).toMatch(/aria-sort="ascending"><a href="\/admin\/posts\?sort=-title">Title/)
    expect(titlesIn(await mine.page('/admin/posts?sort=-title'))[0]).toBe('Post 59')
  })

  test('finds rows by part of a text, and treats wildcards as plain characters', async () => {
    expect(titlesIn(await mine.page('/admin/posts?search=post+1'))).toHaveLength(10)
    expect(titlesIn(await mine.page('/admin/posts?search=100%25+OF_it'))).toEqual(['Post 07'])
    expect(titlesIn(await mine.page('/admin/posts?search=post-42'))).toEqual(['Post 42'])
    expect(await mine.page('/admin/posts?search=%25%25')).toContain('Nothing matches')
    expect(await mine.page('/admin/posts?search=post&state=published')).toContain('Nothing matches')
  })

  test('narrows orders to a period in the time zone of the school', async () => {
    const own = await world.aSchool()
    const taipei = new AdminBrowser(await anOwner(world, own))
    await taipei.done('/admin/details', {
      name: 'Taipei',
      time_zone: 'Asia/Taipei',
      currency: 'TWD',
    })
    const ada = await world.aMember(own)
    // In Taipei, March starts at 16:00 UTC on the last day of February.
    const orders = [
      ['LAST-OF-FEBRUARY', '2026-02-28T15:59:00Z'],
      ['FIRST-OF-MARCH', '2026-02-28T16:00:00Z'],
      ['FIRST-OF-APRIL', '2026-03-31T16:00:00Z'],
    ] as const
    for (const [number, created] of orders) {
      const id = await anOrder(own, ada)
      const values = { number, created_at: new Date(created) }
      await own.db.update('orders').set(values).where('id', '=', id).execute()
    }
    const numbersAt = async (query: string) => {
      const html = await taipei.page(`/admin/orders?sort=created_at&${query}`)
      return orders.map(([number]) => number).filter((number) => html.includes(number))
    }
    const march = 'created_after=2026-03-01T00:00&created_before=2026-04-01T00:00'
    expect(await numbersAt(march)).toEqual(['FIRST-OF-MARCH'])
    expect(await numbersAt('created_after=2026-03-01T00:00')).toEqual([
      'FIRST-OF-MARCH',
      'FIRST-OF-APRIL',
    ])
    expect(await numbersAt('created_after=soon&created_before=2026-02-30T00:00')).toHaveLength(3)
    expect(await numbersAt('created_after=9999-01-01T00:00')).toHaveLength(3)
    const html = await taipei.page(`/admin/orders?${march}`)
    expect(html).toMatch(
      /<input id="created_after"[^>]* type="datetime-local"[^>]*value="2026-03-01T00:00"/,
    )
    expect(html).toMatch(/[^/]Taipei time\./)
    const sorted =
      'created_after=2026-03-01T00%3A00&amp;created_before=2026-04-01T00%3A00&amp;sort='
    expect(html).toContain(`href="/admin/orders?${sorted}created_at"`)
  })

  test('that is empty by the filter that it begins with leads to all rows', async () => {
    const html = await mine.page('/admin/meetings')
    expect(html).toContain('Nothing matches the filters above.')
    expect(html).toContain('<a href="/admin/meetings?when=">Show all</a>')
    const all = await mine.page('/admin/meetings?when=')
    expect(all).toContain('There is no meeting yet.')
    expect(await mine.page('/admin/meetings?search=x')).toContain('Nothing matches your search.')
  })

  test('offers Yes and No for a filter that is true or false', async () => {
    const html = await mine.page('/admin/coupons?redeemable=false')
    expect(html).toContain(
      '<option value="true">Yes</option><option value="false" selected>No</option>',
    )
  })

  test('is shown for made-up query parameters', async () => {
    const made = [
      'sort=slug&state=stolen',
      'after=nonsense',
      'after=WyItdGl0bGUiLCJ4IiwiMDE5ODFjNWUtN2MwMC03MDAwLTgwMDAtMDAwMDAwMGUwMDAwIl0',
      'search=%00%07',
      `search=${'x'.repeat(5000)}`,
      'state[]=draft&limit=100000&id=x',
    ]
    for (const query of made) expect((await mine.get(`/admin/posts?${query}`)).statusCode).toBe(200)
    for (const id of ['x', '%00', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
      expect((await mine.get(`/admin/posts/${id}`)).statusCode).toBe(404)
    }
  })
})

describe('an edit', () => {
  verifies(
    'pages.school.stale',
    'is refused if another person saved a change meanwhile, and keeps what was typed',
    async () => {
      const other = new AdminBrowser(await anOwner(world, school))
      const { path } = await browser.done('/admin/posts/new', { title: 'Shared', slug: 'shared' })
      const stale = await browser.meanwhile(`${path}/edit`, { title: 'Mine' }, () =>
        other.done(`${path}/edit`, { title: 'Theirs' }),
      )
      expect(stale.statusCode).toBe(409)
      expect(stale.body).toContain('Another person saved a change')
      expect(stale.body).toContain('value="Mine"')
      expect(await browser.page(path)).toContain('Theirs')
    },
  )

  test('attack: an old tab does not bring back what another owner took away', async () => {
    const other = new AdminBrowser(await anOwner(world, school))
    const given = { title: 'Old tab', slug: 'old-tab', body: 'The address of a thief.' }
    const { path } = await browser.done('/admin/posts/new', given)
    const html = await browser.page(`${path}/edit`)
    await other.done(`${path}/edit`, { body: 'Nothing to see.' })
    const saved = await browser.fill(html, `${path}/edit`, { title: 'Another title' })
    expect(saved.statusCode).toBe(303)
    const shown = await browser.page(`${path}/edit`)
    expect(shown).toContain('Another title')
    expect(shown).toContain('Nothing to see.')
    // A second click on the same form is no other person.
    const again = await browser.fill(html, `${path}/edit`, { title: 'Another title' })
    expect(again.statusCode).toBe(303)
  })

  test('that was refused for another reason still finds the change of the other person', async () => {
    const other = new AdminBrowser(await anOwner(world, school))
    const { path } = await browser.done('/admin/posts/new', { title: 'Twice', slug: 'twice' })
    const refused = await browser.send(`${path}/edit`, { title: 'Second', slug: 'No slug' })
    expect(refused.statusCode).toBe(422)
    await other.done(`${path}/edit`, { title: 'First' })
    const answer = await browser.fill(refused.body, `${path}/edit`, { slug: 'twice' })
    expect(answer.statusCode).toBe(409)
    expect(answer.body).toContain('<th scope="row">Title</th><td dir="auto">First</td>')
    expect(answer.body).not.toContain('<th scope="row">Address</th>')
    const decided = await browser.fill(answer.body, `${path}/edit`, {})
    expect(decided.statusCode).toBe(303)
    expect(await browser.page(path)).toContain('Second')
  })

  test('of a price is refused if another person changed its currency: 5000 yen are not 50.00 dollars', async () => {
    const other = new AdminBrowser(await anOwner(world, school))
    const given = { title: 'In yen', slug: 'in-yen', price_amount: '4900', currency: 'JPY' }
    const { path } = await browser.done('/admin/courses/new', given)
    const answer = await browser.meanwhile(`${path}/edit`, { price_amount: '5000' }, () =>
      other.done(`${path}/edit`, { currency: 'USD' }),
    )
    expect(answer.statusCode).toBe(409)
    expect(answer.body).toMatch(/<th scope="row">Currency<\/th><td[^>]*>USD[^<]*<\/td><td[^>]*>JPY/)
    const course = () =>
      school.db
        .from('courses')
        .select(['price_amount', 'currency'])
        .where('slug', '=', 'in-yen')
        .executeTakeFirstOrThrow()
    expect(await course()).toEqual({ price_amount: 4900, currency: 'USD' })
    expect((await browser.fill(answer.body, `${path}/edit`, {})).statusCode).toBe(303)
    expect(await course()).toEqual({ price_amount: 5000, currency: 'JPY' })
  })

  test('carries no long text twice', async () => {
    const body = 'a long text '.repeat(4000)
    const { path } = await browser.done('/admin/posts/new', { title: 'L', slug: 'long-one', body })
    const html = await browser.page(`${path}/edit`)
    expect(html.split(body.trim())).toHaveLength(2)
  })

  test('of a page of settings keeps what another owner changed in other fields', async () => {
    const other = new AdminBrowser(await anOwner(world, school))
    const answer = await browser.meanwhile('/admin/appearance', { tagline: 'Mine' }, () =>
      other.done('/admin/appearance', { primary_color: '#7c2d12' }),
    )
    expect(answer.statusCode).toBe(303)
    const html = await browser.page('/admin/appearance')
    expect(html).toContain('value="#7c2d12"')
    expect(html).toContain('value="Mine"')
  })

  test('writes only changed fields: a time that the form shows rounded stays exact', async () => {
    const { path } = await browser.done('/admin/coupons/new', { code: 'EXACT', percent_off: '5' })
    const id = path.split('/').at(-1) ?? ''
    const starts_at = new Date('2098-01-01T09:00:31.250Z')
    await school.db.update('coupons').set({ starts_at }).where('id', '=', id).execute()
    await browser.done(`${path}/edit`, { max_per_member: '2' })
    const row = await school.db.from('coupons').selectAll().where('id', '=', id).executeTakeFirst()
    expect(row).toMatchObject({ starts_at, max_per_member: 2 })
  })

  test('accepts the longest allowed text, in any script', async () => {
    // 64 KiB in UTF-8, which a form triples.
    const body = '漢'.repeat(21_845)
    const { path } = await browser.done('/admin/pages/new', { title: 'Long', slug: 'long', body })
    const id = path.split('/').at(-1) ?? ''
    const row = await school.db.from('pages').select('body').where('id', '=', id).executeTakeFirst()
    expect(row?.body).toBe(body)
  })

  test('that contradicts itself gets a message beside the field', async () => {
    const times = { starts_at: '2099-02-01T18:00', ends_at: '2099-02-01T17:00' }
    const answer = await browser.send('/admin/events/new', { title: 'Odd', slug: 'odd', ...times })
    expect(answer.statusCode).toBe(422)
    expect(errorsIn(answer.body)).toEqual(['An event must end after it starts.'])
  })

  test('without a slug gets a free one from the title, however often the title is used', async () => {
    const title = { title: 'Été: the term' }
    const slugs: string[] = []
    for (let times = 0; times < 6; times += 1) {
      const { body } = await browser.done('/admin/posts/new', title)
      slugs.push(/ete-the-term[a-f0-9-]*/.exec(body)?.[0] ?? '')
    }
    const counted = ['', '-2', '-3', '-4', '-5'].map((ending) => `ete-the-term${ending}`)
    expect(slugs.slice(0, 5)).toEqual(counted)
    expect(slugs[5]).toMatch(/^ete-the-term-[0-9a-f]{8}$/)
  })

  test('whose title gives no slug gets a free one; without a title it asks only for the title', async () => {
    const slugs = new Set<string>()
    for (let times = 0; times < 2; times += 1) {
      const { path } = await browser.done('/admin/posts/new', { title: '水彩' })
      const { slug } = await school.db
        .from('posts')
        .select('slug')
        .where('id', '=', path.split('/').at(-1) ?? '')
        .executeTakeFirstOrThrow()
      expect(slug).toMatch(/^[0-9a-f]{8}$/)
      slugs.add(slug)
    }
    expect(slugs.size).toBe(2)
    const empty = await browser.send('/admin/posts/new', { title: '' })
    expect(errorsIn(empty.body)).toEqual(['Fill this in.'])
  })

  test('of a coupon takes an amount in the currency of the school, and its messages name no API field', async () => {
    const both = { code: 'BOTH', percent_off: '5', amount_off: '5' }
    const refused = await browser.send('/admin/coupons/new', both)
    expect(errorsIn(refused.body)).toEqual([
      'Take off either a percentage or an amount: fill in one of the two.',
    ])
    await browser.done('/admin/coupons/new', { code: 'FIVE', amount_off: '5' })
    const { body } = await browser.done('/admin/coupons/new', {
      code: 'summer-10',
      amount_off: '5',
    })
    expect(body).toContain('SUMMER-10')
    const again = await browser.send('/admin/coupons/new', { code: 'Summer-10', amount_off: '5' })
    expect(errorsIn(again.body)).toEqual(['This is taken already. Choose another.'])
  })

  test('with a slug that is taken gets a message beside the field', async () => {
    await browser.done('/admin/posts/new', { title: 'One', slug: 'taken' })
    const answer = await browser.send('/admin/posts/new', { title: 'Two', slug: 'taken' })
    expect(answer.statusCode).toBe(409)
    expect(errorsIn(answer.body)).toEqual(['This is taken already. Choose another.'])
  })
})

test('deleting a course asks for its name, in any case, and deletes nothing without it', async () => {
  const { path } = await browser.done('/admin/courses/new', { title: 'Fresco & Secco' })
  for (const confirm_name of ['', 'Fresco']) {
    const refused = await browser.send(`${path}/delete`, { confirm_name })
    expect(refused.statusCode).toBe(422)
    expect(errorsIn(refused.body)).toEqual(['This is another name. Nothing was deleted.'])
  }
  await browser.page(path)
  await browser.done(`${path}/delete`, { confirm_name: ' fresco & secco ' })
  expect((await browser.get(path)).statusCode).toBe(404)
})

describe('records that members create', () => {
  test('an order shows its buyer, items and payments', async () => {
    expect(await browser.page('/admin/orders')).toContain(EXAMPLE.order)
    const html = await browser.page(`/admin/orders/${EXAMPLE.order}`)
    for (const words of ['What was bought', 'Payments', 'Person a001'])
      expect(html).toContain(words)
  })

  test('a subscription is canceled at the end of its period and resumed', async () => {
    const path = `/admin/subscriptions/${EXAMPLE.subscription}`
    const canceled = await browser.done(`${path}/cancel`)
    expect(canceled.body).toContain('Ends with its period')
    expect((await browser.done(`${path}/resume`)).body).not.toContain('Ends with its period')
    expect((await browser.done(`${path}/cancel`, { when: 'now' })).body).toContain('Canceled')
    const refused = await browser.force(`${path}/resume`)
    expect(refused.statusCode).toBe(409)
    expect(refused.body).toContain('The subscription has ended.')
  })

  test('a comment is hidden and shown again, and both are in the audit log', async () => {
    const path = `/admin/comments/${EXAMPLE.comment}`
    expect((await browser.done(`${path}/hide`)).body).toContain('Show again')
    expect(await browser.page('/admin/comments?hidden=true')).toContain(EXAMPLE.comment)
    expect((await browser.done(`${path}/show`)).body).toContain('>Hide<')
    expect(await browser.page('/admin/comments?hidden=true')).not.toContain(EXAMPLE.comment)
  })

  test('each object shows its id, with a button that copies it', async () => {
    for (const [path, id] of [
      ['coupons', EXAMPLE.coupon],
      ['sections', EXAMPLE.section],
      ['members', EXAMPLE.student],
    ] as const) {
      const html = await browser.page(`/admin/${path}/${id}`)
      expect(html).toContain(
        `<span id="object-id"><bdi class="address" dir="ltr">${id}</bdi></span>`,
      )
      expect(html).toContain('data-copies="object-id"')
      expect(html).toMatch(/<script src="\/assets\/copy\.[0-9a-f]+\.js"/)
    }
  })

  test('a form shows its questions and answers', async () => {
    expect(await browser.page(`/admin/forms/${EXAMPLE.form}`)).toContain(EXAMPLE.submission)
    expect(await browser.page(`/admin/submissions/${EXAMPLE.submission}`)).toContain('Answers')
  })

  test('an enrollment shows the progress of its student', async () => {
    const html = await browser.page(`/admin/enrollments/${EXAMPLE.enrollment}`)
    expect(html).toContain('<progress')
    expect(html).toContain('Lecture by lecture')
  })
})

describe('roles', () => {
  test('an admin cannot give or take the owner role', async () => {
    const admin = new AdminBrowser(
      await signedIn(world, school, await world.aMember(school, ['admin'])),
    )
    const typed = { email: 'new@people.test', name: 'New', roles: ['owner'] }
    const refused = await admin.send('/admin/members/new', typed)
    expect(refused.statusCode).toBe(403)
    expect(refused.body).toContain('Only an owner may give or take the owner role.')
    const owner = await world.aMember(school, ['owner'])
    const taken = await admin.send(`/admin/members/${owner.id}/edit`, { roles: ['student'] })
    expect(taken.statusCode).toBe(403)
  })

  test('the last owner keeps the role', async () => {
    const own = await world.aSchool()
    const owner = await world.aMember(own, ['owner'])
    const alone = new AdminBrowser(await signedIn(world, own, owner))
    const refused = await alone.force(`/admin/members/${owner.id}/remove`)
    expect(refused.statusCode).toBe(409)
    expect(refused.body).toContain('A school needs an owner.')
  })
})
