import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { origin, type PageServer, servePages } from '../support/page-server.ts'

const phone = { width: 390, height: 844 }
const desktop = { width: 1280, height: 800 }

let server: PageServer
let browser: Browser
let context: BrowserContext
let page: Page

beforeAll(async () => {
  server = await servePages()
  browser = await launchBrowser([server.argument])
})

afterEach(() => context?.close())

afterAll(async () => {
  await browser?.close()
  server?.close()
})

async function open(name: string, viewport: typeof phone): Promise<void> {
  context = await browser.newContext({ viewport })
  page = await context.newPage()
  await page.goto(`${origin}/${name}`)
}

async function boxesOf(selector: string) {
  const boxes = await Promise.all(
    (await page.locator(selector).all()).map((one) => one.boundingBox()),
  )
  return boxes.filter((box) => box !== null)
}

test('the filters of a list and their button are one line at 1280 pixels', async () => {
  await open('admin-meetings', desktop)
  const parts = await boxesOf('.finder select, .finder input, .finder button')
  expect(parts).toHaveLength(6)
  for (const { y, height } of parts) expect(y + height).toBeCloseTo(bottomOf(parts[0]), 0)
})

test('a state stands beside the name of its object', async () => {
  await open('admin-course', desktop)
  const [[heading], [state]] = [await boxesOf('h1'), await boxesOf('.page-head .badge')]
  expect((state?.x ?? 0) - (heading?.x ?? 0) - (heading?.width ?? 0)).toBeLessThan(24)
  expect(state?.y ?? 0).toBeLessThan(bottomOf(heading))
})

test('an email stays on one line beside a very long name', async () => {
  await open('admin-check-in', desktop)
  for (const { height } of await boxesOf('.objects .address')) expect(height).toBeLessThan(32)
})

test('a number keeps its distance from the date after it', async () => {
  await open('admin-courses', desktop)
  const space = await page.evaluate<string>(
    'getComputedStyle(document.querySelector("tbody .figures-cell")).paddingInlineEnd',
  )
  expect(Number.parseFloat(space)).toBeGreaterThanOrEqual(24)
})

test('on a phone the button of a row is as wide as its words, not as the row', async () => {
  await open('admin-clients', phone)
  for (const { width } of await boxesOf('.rows > li > .button')) expect(width).toBeLessThan(160)
})

test('on a phone the filters of the audit log leave room for its entries on the first screen', async () => {
  await open('admin-audit', phone)
  const [first] = await boxesOf('.rows > li:first-child')
  expect(first?.y ?? Infinity).toBeLessThan(phone.height)
  const [from, to] = await boxesOf('.filters [type=date]')
  expect((from?.x ?? 0) + (from?.width ?? 0)).toBeLessThan(to?.x ?? 0)
  const [form] = await boxesOf('.filters')
  expect((to?.x ?? 0) + (to?.width ?? 0)).toBeLessThanOrEqual((form?.x ?? 0) + (form?.width ?? 0))
})

test('an empty list is as wide as one with rows', async () => {
  const wide = { width: 1920, height: 1080 }
  await open('admin-courses', wide)
  const [full] = await boxesOf('main')
  await page.goto(`${origin}/admin-payments-none`)
  const [empty] = await boxesOf('main')
  expect(empty?.width).toBe(full?.width)
})

test('the menu names no page if the current one is not in it', async () => {
  await open('admin-search', phone)
  expect(await page.locator('.menu > summary').textContent()).toBe('Admin menu')
})

function bottomOf(box: { y: number; height: number } | undefined): number {
  return (box?.y ?? 0) + (box?.height ?? 0)
}
