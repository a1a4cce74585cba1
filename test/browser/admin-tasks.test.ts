import type { AddressInfo } from 'node:net'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { violationsOf } from '../support/accessibility.ts'
import { aPayment } from '../support/billing.ts'
import { launchBrowser } from '../support/browser.ts'
import { aPair, userinfo } from '../support/client-like.ts'
import { aCourse } from '../support/learning.ts'
import { aWorld, PASSWORD, type TestSchool } from '../support/world.ts'

const world = await aWorld()
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

/** An owner on the first page after sign-in, without scripts, and the clicks from there on. */
async function anOwnerWhoClicks() {
  const person = await world.aMember(school, ['owner'])
  const context = await browser.newContext({ baseURL: school.origin, javaScriptEnabled: false })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto('/sign-in')
  await page.fill('#email', person.email)
  await page.fill('#password', PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'What is waiting' }).waitFor()
  let clicks = 0
  const click = async (target: Locator) => {
    clicks += 1
    await target.click()
  }
  return { page, click, clicks: () => clicks }
}

/** Scripts are off for the story, and the rules need one. */
async function violationsAt(page: Page, path: string): Promise<string[]> {
  const context = await browser.newContext({
    baseURL: school.origin,
    storageState: await page.context().storageState(),
  })
  onTestFinished(() => context.close())
  const other = await context.newPage()
  await other.goto(path)
  return await violationsOf(other)
}

test('an owner answers a refund in two clicks', async () => {
  const ada = await world.aMember(school)
  await aPayment(school, ada, { refund: { state: 'requested' } })
  const { page, click, clicks } = await anOwnerWhoClicks()
  expect(await violationsAt(page, '/admin')).toEqual([])
  await click(page.getByRole('link', { name: `Approve the refund of ${ada.name}` }))
  await click(page.getByRole('button', { name: 'Approve refund' }))
  await page.getByText('The refund is recorded, and the member is told.').waitFor()
  expect(clicks()).toBe(2)
  await page.goto('/admin')
  await page.getByText('Nothing is waiting for you.').waitFor()
}, 60_000)

test('an owner adds and enrolls a student in four clicks', async () => {
  await aCourse(school, [[{ title: 'First strokes' }]], { title: 'Ink drawing' })
  const { page, click, clicks } = await anOwnerWhoClicks()
  await click(page.getByRole('link', { name: 'Add a student' }))
  await page.getByLabel('Email').fill('mei@people.test')
  await page.getByLabel('Name').fill('Mei Tanaka')
  await click(page.getByRole('button', { name: 'Add a student' }))
  await click(page.getByRole('link', { name: 'Enroll' }))
  await page.getByLabel('Course', { exact: true }).selectOption({ label: 'Ink drawing' })
  await click(page.getByRole('button', { name: /Enroll/ }))
  await page.getByRole('heading', { name: 'Mei Tanaka, Ink drawing' }).waitFor()
  expect(clicks()).toBe(4)
}, 60_000)

test('an owner sees what an app does and stops it in three clicks', async () => {
  const client = await world.aPublicClient(school, { name: 'Study Planner' })
  const pair = await aPair(world, school, client, await world.aMember(school))
  expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
  const { page, click, clicks } = await anOwnerWhoClicks()
  await click(page.getByRole('link', { name: 'Apps and assistants' }))
  await page.getByText('Made by your school · For 1 member').first().waitFor()
  for (const path of ['/admin/clients', '/admin/clients/stop-all']) {
    expect(await violationsAt(page, path), path).toEqual([])
  }
  await click(page.getByRole('link', { name: 'Switch off… Study Planner' }))
  await click(page.getByRole('button', { name: 'Switch off' }))
  await page.getByText('Switched off.').first().waitFor()
  expect(clicks()).toBe(3)
  expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
}, 60_000)
