import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violationsOf } from '../support/accessibility.ts'
import { aBrowserSchool, type PageOptions } from '../support/browser-school.ts'
import { aPair } from '../support/client-like.ts'
import { aWorld, type TestPerson } from '../support/world.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0'
const SAFARI = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18.0 Mobile Safari/604.1'

const world = await aWorld()
const { school, aPageOf } = await aBrowserSchool(world)

async function signedIn(person: TestPerson, options: PageOptions): Promise<Page> {
  const page = await aPageOf(person, '/account/settings', options)
  await page.getByRole('heading', { name: 'Account settings' }).waitFor()
  return page
}

test('a person signs out a phone from a computer, with scripts off, and finds it in the history', async () => {
  const ada = await world.aMember(school)
  const client = await world.aPublicClient(school, { name: 'Study Planner' })
  await aPair(world, school, client, ada)
  const phone = await signedIn(ada, { userAgent: SAFARI })
  const page = await signedIn(ada, { userAgent: FIREFOX, javaScriptEnabled: false })
  await page.getByRole('link', { name: 'See signed-in browsers' }).click()
  const mine = page.getByRole('listitem').filter({ hasText: 'This browser' })
  expect(await mine.textContent()).toContain('Firefox on Windows')
  expect(await mine.getByRole('button').count()).toBe(0)
  await page.getByRole('button', { name: 'Sign out Safari on iPhone' }).click()
  expect(await page.getByRole('status').textContent()).toContain('That browser was signed out.')
  await phone.goto('/account')
  expect(new URL(phone.url()).pathname).toBe('/sign-in')

  await page.goto('/account/settings')
  await page.getByRole('link', { name: 'See history' }).click()
  await page.waitForURL('**/account/history')
  const lines = await page.locator('.row-title').allTextContents()
  expect(lines[0]?.trim()).toBe('You signed out Safari on iPhone')
  expect(lines.map((line) => line.trim())).toContain('You allowed Study Planner')
})

test('one button signs out everywhere else, and the pages break no accessibility rule', async () => {
  const ben = await world.aMember(school)
  const [page, other] = [await signedIn(ben, {}), await signedIn(ben, { userAgent: FIREFOX })]
  for (const path of ['/account/sessions', '/account/history']) {
    await page.goto(path)
    expect(await violationsOf(page), path).toEqual([])
  }
  await page.goto('/account/sessions')
  await page.getByRole('button', { name: 'Sign out all other browsers' }).click()
  expect(await page.getByRole('status').textContent()).toContain('at every school')
  await other.goto('/account')
  expect(new URL(other.url()).pathname).toBe('/sign-in')
})
