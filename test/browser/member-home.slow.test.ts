import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violationsOf } from '../support/accessibility.ts'
import { aPayment } from '../support/billing.ts'
import { aBrowserSchool, countedClicks, type PageOptions } from '../support/browser-school.ts'
import { hoursFromNow } from '../support/consulting.ts'
import { aNotification } from '../support/inbox.ts'
import { aCourse, anEnrollment } from '../support/learning.ts'
import { giveEverything } from '../support/member-with-everything.ts'
import { aWorld, type TestPerson } from '../support/world.ts'

const world = await aWorld()
const { school, aPage, aPageOf } = await aBrowserSchool(world)

const signedIn = (person: TestPerson, options?: PageOptions) => aPageOf(person, '/sign-in', options)

const pathOf = (page: Page) => new URL(page.url()).pathname

/** A member with a course to start and a payment that is still to be paid. */
async function aMemberWhoOwes(): Promise<TestPerson> {
  const ada = await world.aMember(school)
  const course = await aCourse(school, [[{ title: 'First strokes' }]], { title: 'Ink drawing' })
  await anEnrollment(school, ada, course)
  await aPayment(school, ada, {
    ...{ type: 'atm', state: 'pending', expiresAt: hoursFromNow(49) },
    bank: { code: '822', name: 'CTBC Bank', codeNo: '9103522175887271' },
    lines: [{ title: 'Ink drawing', amount: 1000 }],
  })
  return ada
}

test('what is to be paid stands on the first page after sign-in, and one click leads to how to pay it', async () => {
  const page = await signedIn(await aMemberWhoOwes(), { javaScriptEnabled: false })
  const clicks = countedClicks()
  expect(pathOf(page)).toBe('/account')
  await page.getByText('9103522175887271').waitFor()
  await page.getByText('2 days left').waitFor()
  await clicks.click(page.getByRole('link', { name: /^Payment T/ }))
  await page.getByRole('heading', { name: 'How to pay' }).waitFor()
  await page.getByText('9103522175887271').waitFor()
  expect(clicks.clicks()).toBe(1)
})

test('from sign-in to the next lecture is one click, at the start of a course and later', async () => {
  const ada = await world.aMember(school)
  const lectures = [{ title: 'First strokes' }, { title: 'Light and shade' }]
  const course = await aCourse(school, [lectures], { title: 'Ink drawing' })
  await anEnrollment(school, ada, course)
  const page = await signedIn(ada, { javaScriptEnabled: false })
  const first = countedClicks()
  await first.click(page.getByRole('link', { name: 'Start Ink drawing' }))
  await page.getByRole('heading', { name: 'First strokes' }).waitFor()
  expect(first.clicks()).toBe(1)
  await page.goto('/account')
  const again = countedClicks()
  await again.click(page.getByRole('link', { name: 'Continue Ink drawing' }))
  await page.getByRole('heading', { name: 'First strokes' }).waitFor()
  expect(again.clicks()).toBe(1)
})

test('a visitor understands a course without signing in, one click from the front page, and opens a free lecture with one more', async () => {
  const title = 'Watercolour for beginners'
  const course = await aCourse(
    school,
    [
      [{ title: 'Paper and brushes', preview: true, seconds: 900 }],
      [{ title: 'A first sky', seconds: 2700 }],
    ],
    { title },
  )
  await school.db
    .update('courses')
    .set({ summary: 'Learn to paint a sky in a weekend.', price_amount: 4900 })
    .where('id', '=', course.id)
    .execute()
  const lecturer = await world.aMember(school, ['lecturer'])
  const user_id = lecturer.id
  await school.db.insert('lecturers', { user_id, headline: 'Painter', bio: '' }).execute()
  await school.db.insert('course_lecturers', { user_id, course_id: course.id }).execute()
  const page = await aPage({ javaScriptEnabled: false })
  await page.goto('/')
  const clicks = countedClicks()
  await clicks.click(page.getByRole('link', { name: title }))
  await page.getByRole('heading', { name: title, level: 1 }).waitFor()
  const seen = await page.locator('main').innerText()
  for (const fact of [
    ...[title, 'Learn to paint a sky in a weekend.', '49.00', '1 h'],
    ...['Paper and brushes', 'Free', 'A first sky', lecturer.name],
  ]) {
    expect(seen).toContain(fact)
  }
  expect(clicks.clicks()).toBe(1)
  await clicks.click(page.getByRole('link', { name: 'Open a free lecture' }))
  await page.getByRole('heading', { name: 'Paper and brushes' }).waitFor()
  expect(clicks.clicks()).toBe(2)
  expect(pathOf(page)).not.toContain('sign-in')
})

test('the code of a payment is copied by one click', async () => {
  const ada = await world.aMember(school)
  await aPayment(school, ada, {
    ...{ type: 'convenience_store', state: 'pending' },
    bank: { code: '', name: 'FamilyMart', codeNo: 'GW261116B0042' },
  })
  const page = await signedIn(ada, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.getByRole('button', { name: 'Copy the code' }).click()
  await page.getByText('Copied').first().waitFor()
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe('GW261116B0042')
})

test('a member reads the inbox and marks messages, with scripts off', async () => {
  const ada = await world.aMember(school)
  await aNotification(school, ada, { title: 'The hall moved' })
  const page = await signedIn(ada, { javaScriptEnabled: false })
  await page.getByRole('link', { name: 'Open the inbox' }).click()
  await page.getByText('1 message unread.').waitFor()
  await page.getByRole('button', { name: /^Mark as read ?: The hall moved/ }).click()
  await page.getByText('Nothing unread.').waitFor()
  await page.getByRole('button', { name: /^Mark as unread ?: The hall moved/ }).click()
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  expect(await page.getByRole('status').first().textContent()).toContain('marked as read')
})

test('an owner starts in the admin area and finds both homes in the menu', async () => {
  const page = await signedIn(await world.aMember(school, ['owner']))
  expect(pathOf(page)).toBe('/admin')
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  await page.waitForURL('**/account')
  await page.getByRole('link', { name: 'Admin', exact: true }).click()
  await page.waitForURL('**/admin')
})

test('the pages of a member with everything break no accessibility rule', async () => {
  const ada = await world.aMember(school)
  await giveEverything(school, ada, 2)
  const page = await signedIn(ada)
  const names = ['', '/courses', '/bookings', '/payments', '/inbox', '/events', '/downloads']
  for (const path of names.map((name) => `/account${name}`)) {
    await page.goto(path)
    expect(await violationsOf(page), path).toEqual([])
  }
})
