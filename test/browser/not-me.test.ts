import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { smtpMailer } from '../../src/foundation/mail/mailer.ts'
import { violationsOf } from '../support/accessibility.ts'
import { launchBrowser } from '../support/browser.ts'
import { aMailBox } from '../support/mail-box.ts'
import { aWorld, PASSWORD, type TestPerson, type TestSchool } from '../support/world.ts'

const mailBox = await aMailBox()
const world = await aWorld({ mailer: smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>') })
let browser: Browser
let school: TestSchool

beforeAll(async () => {
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = world.app.server.address() as AddressInfo
  const made = await world.aSchool()
  const origin = `http://${made.subdomain}.localhost:${port}`
  await world.database.pool.query('update schools set origin = $2 where id = $1', [made.id, origin])
  world.context.directory.forget()
  school = { ...made, origin }
  browser = await launchBrowser()
}, 60_000)

afterAll(() => browser?.close())

async function aPage(javaScriptEnabled = true): Promise<Page> {
  const context = await browser.newContext({ baseURL: school.origin, javaScriptEnabled })
  onTestFinished(() => context.close())
  return await context.newPage()
}

async function signIn(page: Page, person: TestPerson, password = PASSWORD): Promise<void> {
  await page.goto('/account')
  await page.fill('#email', person.email)
  await page.fill('#password', password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Hello' }).waitFor()
}

/** The first link of a mail that leads to this path. */
const linkIn = (text: string, path: string): string =>
  new RegExp(`${school.origin}${path}\\S*`).exec(text)?.[0] ?? ''

test('a person reads of a sign-in that was not theirs, ends everything and chooses a new password', async () => {
  const ada = await world.aMember(school)
  const thief = await aPage()
  await signIn(thief, ada)
  const notice = await mailBox.take(ada.email, 'a browser that is new')

  const page = await aPage(false)
  await page.goto(linkIn(notice.text, '/not-me'))
  await page.getByRole('button', { name: 'It was not me: end everything' }).click()
  await page.getByRole('heading', { name: 'Everything has ended' }).waitFor()
  await thief.goto('/account')
  expect(new URL(thief.url()).pathname).toBe('/sign-in')

  const ended = await mailBox.take(ada.email, 'no longer works')
  await page.goto(linkIn(ended.text, '/reset-password'))
  await page.getByLabel('New password').fill('a much better password')
  await page.getByRole('button', { name: 'Set password' }).click()
  await signIn(page, ada, 'a much better password')
}, 60_000)

test('the pages behind the link break no accessibility rule', async () => {
  const ben = await world.aMember(school)
  const page = await aPage()
  await signIn(page, ben)
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
}, 60_000)
