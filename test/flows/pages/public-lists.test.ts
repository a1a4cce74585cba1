import { beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { PUBLIC_LISTS } from '../../../src/surfaces/pages/frame/public-lists.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aSlug, daysFromNow } from '../../support/learning.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const MANY = 49
const KINDS = Object.keys(PUBLIC_LISTS) as (keyof typeof PUBLIC_LISTS)[]

/** What the home page shows of each kind. */
const ON_HOME = { courses: 48, plans: 12, products: 12, events: 6, posts: 5, pages: 20 }

/** One of each kind, the `day`-th of its list; `hidden` is not for visitors. */
async function addOneOfEach(db: TestSchool['db'], day: number, hidden = false): Promise<void> {
  const title = hidden ? 'hidden' : `No. ${day}.`
  const state: 'draft' | 'published' = hidden ? 'draft' : 'published'
  const row = () => ({ id: uuidv7(), slug: aSlug(), state })
  const dated = { published_at: hidden ? null : daysFromNow(day - 100) }
  const created_at = daysFromNow(day - 100)
  const [starts_at, ends_at] = [daysFromNow(day), daysFromNow(day + 1)]
  await db.insert('courses', { ...row(), ...dated, title, currency: 'USD' }).execute()
  const price = { price_amount: 1, interval: 'month', currency: 'USD' } as const
  await db.insert('membership_plans', { ...row(), ...price, name: title, created_at }).execute()
  await db.insert('digital_products', { ...row(), title, currency: 'USD', created_at }).execute()
  const online_url = 'https://room.example/secret'
  const event = { title, starts_at, ends_at, online_url, currency: 'USD' }
  await db.insert('events', { ...row(), ...event }).execute()
  await db.insert('posts', { ...row(), ...dated, title }).execute()
  await db.insert('pages', { ...row(), ...dated, title }).execute()
}

beforeAll(async () => {
  const other = await world.aSchool()
  await addOneOfEach(other.db, 99)
  await addOneOfEach(school.db, MANY + 1, true)
  for (let day = 1; day <= MANY; day++) await addOneOfEach(school.db, day)
})

const numbersIn = (html: string) =>
  [...html.matchAll(/>No\. (\d+)\.</g)].map(([, number]) => Number(number))

/** The numbers on all pages of a list, following the link to the next one. */
async function allOf(path: string): Promise<number[][]> {
  const visitor = new Visitor(world, school)
  const pages: number[][] = []
  let url: string | undefined = path
  while (url !== undefined) {
    const { body, statusCode } = await visitor.get(url)
    expect(statusCode).toBe(200)
    expect(body).not.toContain('hidden<')
    pages.push(numbersIn(body))
    url = /href="([^"]+)" rel="next"/.exec(body)?.[1]
  }
  return pages
}

describe('what a school shows to everyone', () => {
  test.each(KINDS)(
    '%s: the home page shows the first ones and leads to all of them',
    async (kind) => {
      const { path, all } = PUBLIC_LISTS[kind]
      const { body } = await new Visitor(world, school).get('/')
      expect(body).toContain(`<a href="${path}">${all}</a>`)
      const [, list = ''] =
        new RegExp(`<h2>${PUBLIC_LISTS[kind].title}</h2>(.*)`, 's').exec(body) ?? []
      expect(numbersIn(list.slice(0, list.indexOf('</ul>')))).toHaveLength(ON_HOME[kind])

      const pages = await allOf(path)
      const order = Array.from({ length: MANY }, (_, place) => place + 1)
      expect(pages.flat()).toEqual(kind === 'events' ? order : order.reverse())
      expect(pages.map(({ length }) => length)).toEqual([20, 20, 9])
    },
  )

  test('a school that shows all on its home page has no link to more, and its lists are empty or short', async () => {
    const small = await world.aSchool()
    const visitor = new Visitor(world, small)
    for (const { path, empty } of Object.values(PUBLIC_LISTS)) {
      expect((await visitor.get(path)).body).toContain(empty)
    }
    await addOneOfEach(small.db, 1)
    const { body } = await visitor.get('/')
    for (const { path, all } of Object.values(PUBLIC_LISTS)) {
      expect(body).not.toContain(all)
      expect(numbersIn((await visitor.get(path)).body)).toEqual([1])
    }
  })

  test('an event without a place is online, and its room is not told', async () => {
    const { body } = await new Visitor(world, school).get('/events')
    expect(body).toContain('>Online<')
    expect(body).not.toContain('room.example')
  })

  test('a cursor of another list, or one that is none, shows the first page', async () => {
    const visitor = new Visitor(world, school)
    const { body } = await visitor.get('/plans')
    const [, cursor = ''] = /after=([\w-]+)" rel="next"/.exec(body) ?? []
    expect(cursor).not.toBe('')
    for (const after of [cursor, 'x', '%00', `${cursor}&after=${cursor}`]) {
      const page = await visitor.get(`/courses?after=${after}`)
      expect(numbersIn(page.body)[0], after).toBe(MANY)
    }
  })
})
