import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { showIn } from '../support/accessibility.ts'
import { aPayment } from '../support/billing.ts'
import { launchBrowser } from '../support/browser.ts'
import type { Visitor } from '../support/browser-like.ts'
import { aSlug } from '../support/learning.ts'
import { giveEverything } from '../support/member-with-everything.ts'
import { signedIn } from '../support/operator-like.ts'
import { aWorld, type TestPerson, type TestSchool } from '../support/world.ts'

const world = await aWorld()
let browser: Browser
let page: Page
let school: TestSchool
let ada: TestPerson
let member: Visitor

/** What people call their courses, each about as long as a title can be. */
const NAMES = {
  'a word without a space': {
    name: 'Rindfleischetikettierung'.repeat(13).slice(0, 300),
    dir: 'ltr',
  },
  Arabic: { name: 'مقدمة في البرمجة: "TypeScript" (الجزء 2) '.repeat(7).trim(), dir: 'rtl' },
  Hebrew: { name: 'מבוא לציור בדיו — שיעור 3 (חלק א) '.repeat(8).trim(), dir: 'rtl' },
  Chinese: { name: '從零開始的水墨畫：第一筆，光與影。'.repeat(17), dir: 'ltr' },
} as const

/** Every column that pages of members and visitors show, with the longest text that it takes. */
const COLUMNS = [
  ['courses', 'title', 300],
  ['courses', 'summary', 300],
  ['sections', 'title', 300],
  ['lectures', 'title', 300],
  ['events', 'title', 300],
  ['events', 'location', 300],
  ['digital_products', 'title', 300],
  ['posts', 'title', 300],
  ['pages', 'title', 300],
  ['forms', 'title', 300],
  ['membership_plans', 'name', 200],
  ['consulting_services', 'title', 300],
  ['consulting_meetings', 'title', 300],
  ['notifications', 'title', 300],
  ['payment_lines', 'title', 300],
] as const

beforeAll(async () => {
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = world.app.server.address() as AddressInfo
  const made = await world.aSchool()
  const origin = `http://${made.subdomain}.localhost:${port}`
  await world.database.pool.query('update schools set origin = $2 where id = $1', [made.id, origin])
  world.context.directory.forget()
  school = { ...made, origin }
  ada = await world.aMember(school)
  await giveEverything(school, ada, 1)
  await aPayment(school, ada, { type: 'atm', state: 'pending', lines: [{ title: 'x', amount: 1 }] })
  await addTexts()
  browser = await launchBrowser()
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width: 320, height: 640 },
  })
  page = await context.newPage()
  await page.goto('/sign-in')
  member = await signedIn(world, school, ada)
})

afterAll(() => browser?.close())

async function addTexts(): Promise<void> {
  const text = () => ({ id: uuidv7(), slug: aSlug(), title: 'x' })
  const published = { state: 'published', published_at: new Date() } as const
  await school.db.insert('posts', { ...text(), ...published }).execute()
  await school.db.insert('pages', { ...text(), ...published }).execute()
  const fields = JSON.stringify([{ name: 'q', label: 'Q', kind: 'text', required: true }])
  await school.db.insert('forms', { ...text(), fields, state: 'open' }).execute()
  await school.db
    .insert('membership_plans', {
      ...{ id: uuidv7(), slug: aSlug(), name: 'x', state: 'published' },
      ...{ interval: 'month', price_amount: 100, currency: 'USD' },
    })
    .execute()
}

/** Gives this name to the school, everything of it, and its member. */
async function callEverything(name: string): Promise<void> {
  for (const [table, column, longest] of COLUMNS) {
    await world.database.pool.query(
      `update ${table} set ${column} = left($2, ${longest}) where school_id = $1`,
      [school.id, name],
    )
  }
  await world.database.pool.query('update courses set outline_version = outline_version + 1')
  const fields = [{ name: 'q', label: name.slice(0, 300), kind: 'text', required: true }]
  await world.database.pool.query('update forms set fields = $2 where school_id = $1', [
    school.id,
    JSON.stringify(fields),
  ])
  await world.database.pool.query('update schools set name = left($2, 200) where id = $1', [
    school.id,
    name,
  ])
  world.context.directory.forget()
  await world.database.pool.query('update users set name = left($2, 200) where id = $1', [
    ada.id,
    name,
  ])
}

async function pathsToOpen(): Promise<string[]> {
  const { rows } = await world.database.pool.query<{ path: string }>(
    `select '/courses/' || slug as path from courses where school_id = $1
     union all select '/courses/' || c.slug || '/lectures/' || l.id
       from lectures l join courses c using (school_id) where school_id = $1 and c.id = l.course_id
     union all select '/events/' || slug from events where school_id = $1
     union all select '/products/' || slug from digital_products where school_id = $1
     union all select '/plans/' || slug from membership_plans where school_id = $1
     union all select '/posts/' || slug from posts where school_id = $1
     union all select '/pages/' || slug from pages where school_id = $1
     union all select '/forms/' || slug from forms where school_id = $1
     union all select '/account/payments/' || id from payments where school_id = $1`,
    [school.id],
  )
  const own = ['courses', 'bookings', 'payments', 'inbox', 'events', 'downloads', 'profile']
  const others = ['settings', 'assistants', 'delete', 'data']
  return [
    ...['/', '/courses', '/plans', '/products', '/events', '/posts', '/pages', '/account'],
    ...[...own, ...others].map((page) => `/account/${page}`),
    ...rows.map((row) => row.path),
  ]
}

/** The directions in which the visible texts and fields with this beginning are set. */
const directionsOf = (start: string) => `(() => {
  const fields = [...document.querySelectorAll('input, textarea')]
  const found = fields
    .filter(({ type, value }) => type !== 'hidden' && value.includes(${JSON.stringify(start)}))
    .map((field) => getComputedStyle(field).direction)
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const { parentElement: parent, textContent } = walker.currentNode
    if (!textContent.includes(${JSON.stringify(start)})) continue
    if (parent.closest('.visually-hidden, [hidden]') === null) {
      found.push(getComputedStyle(parent).direction)
    }
  }
  return found
})()`

describe.each(Object.entries(NAMES))('names in %s', (_, { name, dir }) => {
  test('stand in full on every page of members and visitors, in their direction, and fit 320 pixels', async () => {
    await callEverything(name)
    for (const path of await pathsToOpen()) {
      const { statusCode, body } = await member.get(path)
      expect(statusCode, path).toBe(200)
      await showIn(page, body)
      expect(await page.evaluate<number>('document.documentElement.scrollWidth'), path).toBe(320)
      const directions = await page.evaluate<string[]>(directionsOf(name.slice(0, 190).trim()))
      expect(new Set(directions), path).toEqual(new Set([dir]))
    }
  })
})
