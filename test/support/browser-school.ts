import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { violationsOf } from './accessibility.ts'
import { launchBrowser } from './browser.ts'
import { whenFileIsDone } from './clean-up.ts'
import { portOf } from './raw-http.ts'
import { PASSWORD, type TestPerson, type TestSchool, type World } from './world.ts'

/**
 * What Chromium itself writes about each answer with status 400 or higher, about what a sign-out
 * clears, and about a page on which a field was used before the browser came to focus another.
 */
const EXPECTED = /^(Failed to load resource|Clear-Site-Data|Autofocus processing was blocked)/

export type PageOptions = BrowserContextOptions & {
  /** Runs before the scripts of each page. */
  readonly script?: string
}

type SchoolOptions = Parameters<World['aSchool']>[0]

interface BrowserSchool {
  readonly school: TestSchool
  /** A page in a profile of its own. The test fails if the console has an error. */
  aPage(options?: PageOptions): Promise<Page>
  /** A page that led the person to sign-in. */
  aPageOf(person: TestPerson, path: string, options?: PageOptions): Promise<Page>
  /**
   * The rules that a page breaks which is open with scripts off: they are a script, so it is opened
   * again.
   */
  violationsAt(page: Page, path?: string): Promise<string[]>
}

/** A browser, until the test file is done, and a school that it reaches. */
export async function aBrowserSchool(
  world: World,
  options: SchoolOptions = {},
): Promise<BrowserSchool> {
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  const school = await aSchoolAtLocalhost(world, options)
  const browser = await launchBrowser()
  whenFileIsDone(() => browser.close())
  const aPage = (more?: PageOptions) => openPage(browser, school, more)
  return {
    school,
    aPage,
    async aPageOf(person, path, more) {
      const page = await aPage(more)
      await page.goto(path)
      await signIn(page, person)
      return page
    },
    async violationsAt(page, path = page.url()) {
      const other = await aPage({ storageState: await page.context().storageState() })
      await other.goto(path)
      return await violationsOf(other)
    },
  }
}

async function openPage(
  browser: Browser,
  { origin }: TestSchool,
  { script, ...options }: PageOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ baseURL: origin, ...options })
  if (script !== undefined) await context.addInitScript(script)
  const page = await context.newPage()
  const messages: string[] = []
  page.on('console', (message) => messages.push(message.text()))
  page.on('pageerror', (error) => messages.push(error.message))
  onTestFinished(async () => {
    await context.close()
    expect(messages.filter((text) => !EXPECTED.test(text))).toEqual([])
  })
  return page
}

/**
 * At a host of its own: Chromium finds every name below localhost on this machine. The server of
 * the world listens.
 */
export async function aSchoolAtLocalhost(
  world: World,
  options: SchoolOptions = {},
): Promise<TestSchool> {
  const made = await world.aSchool(options)
  const origin = `http://${made.subdomain}.localhost:${portOf(world.app.server)}`
  await world.database.pool.query('update schools set origin = $2 where id = $1', [made.id, origin])
  world.context.directory.forget()
  return { ...made, origin }
}

/** Signs in, and waits for the page that follows. */
export async function signIn(
  page: Page,
  person: Pick<TestPerson, 'email'>,
  password = PASSWORD,
): Promise<void> {
  await typePassword(page, person, password)
  await page.waitForURL(({ pathname }) => pathname !== '/sign-in')
}

/** Sends the form of the sign-in. */
export async function typePassword(
  page: Page,
  { email }: Pick<TestPerson, 'email'>,
  password = PASSWORD,
): Promise<void> {
  await page.fill('#email', email)
  await page.fill('#password', password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Clicks of a person, counted from now on. */
export function countedClicks() {
  let count = 0
  return {
    click: async (target: Locator) => {
      count += 1
      await target.click()
    },
    clicks: () => count,
  }
}

/** An owner on the first page after sign-in, without scripts, and the clicks from there on. */
export async function anOwnerWhoClicks(world: World, { school, aPageOf }: BrowserSchool) {
  const owner = await world.aMember(school, ['owner'])
  const page = await aPageOf(owner, '/sign-in', { javaScriptEnabled: false })
  await page.getByRole('heading', { name: 'What is waiting' }).waitFor()
  return { page, ...countedClicks() }
}
