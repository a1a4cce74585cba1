import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { smtpMailer } from '../../src/foundation/mail/mailer.ts'
import { violationsOf } from '../support/accessibility.ts'
import { aBrowserSchool, signIn } from '../support/browser-school.ts'
import { aMailBox } from '../support/mail-box.ts'
import { aWorld, type TestPerson } from '../support/world.ts'

const mailBox = await aMailBox()
const world = await aWorld({ mailer: smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>') })
const { school, aPage } = await aBrowserSchool(world)

async function enter(page: Page, person: TestPerson, password?: string): Promise<void> {
  await page.goto('/account')
  await signIn(page, person, password)
  await page.getByRole('heading', { name: 'Hello' }).waitFor()
}

/** The first link of a mail that leads to this path. */
const linkIn = (text: string, path: string): string =>
  new RegExp(`${school.origin}${path}\\S*`).exec(text)?.[0] ?? ''

test('a person reads of a sign-in that was not theirs, ends everything and chooses a new password', async () => {
  const ada = await world.aMember(school)
  const thief = await aPage()
  await enter(thief, ada)
  const notice = await mailBox.take(ada.email, 'a browser that is new')

  const page = await aPage({ javaScriptEnabled: false })
  await page.goto(linkIn(notice.text, '/not-me'))
  await page.getByRole('button', { name: 'It was not me: end everything' }).click()
  await page.getByRole('heading', { name: 'Everything has ended' }).waitFor()
  await thief.goto('/account')
  expect(new URL(thief.url()).pathname).toBe('/sign-in')

  const ended = await mailBox.take(ada.email, 'no longer works')
  await page.goto(linkIn(ended.text, '/reset-password'))
  await page.getByLabel('New password').fill('a much better password')
  await page.getByRole('button', { name: 'Set password' }).click()
  await enter(page, ada, 'a much better password')
})

test('the pages behind the link break no accessibility rule', async () => {
  const ben = await world.aMember(school)
  const page = await aPage()
  await enter(page, ben)
  const { text } = await mailBox.take(ben.email, 'a browser that is new')
  const link = linkIn(text, '/not-me')
  await page.goto(link)
  expect(await violationsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'It was not me: end everything' }).click()
  await page.getByRole('heading', { name: 'Everything has ended' }).waitFor()
  expect(await violationsOf(page)).toEqual([])
  await page.goto(link)
  await page.getByRole('heading', { name: 'This link has expired' }).waitFor()
  expect(await violationsOf(page)).toEqual([])
})
