import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PageJudge } from '../support/accessibility.ts'
import { launchBrowser } from '../support/browser.ts'
import { origin, type PageServer, servePages } from '../support/page-server.ts'
import { samplePages } from '../support/sample-pages.ts'

const narrow = { width: 320, height: 640 }
const phone = { width: 390, height: 844 }
const desktop = { width: 1280, height: 800 }

const NO_PROBLEMS: Record<string, string[]> = {
  'phone, light': [],
  'phone, dark': [],
  'desktop, dark': [],
  'desktop, light': [],
}

/**
 * Wider letters, as WCAG 2.2 section 1.4.12 lets readers set them. A page that fits with them fits
 * with the widest fonts, too.
 */
const WIDE_LETTERS = `{
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important }')
  document.adoptedStyleSheets = [sheet]
}`
const WIDTH = 'document.documentElement.scrollWidth'

/**
 * Pages that are wrong: one breaks a rule, the others have a heading that cannot be read, in one
 * way of looking at them.
 */
const wrongPages: Record<string, string> = { broken: '<img src="/logo.svg">' }
for (const how of Object.keys(NO_PROBLEMS)) {
  const [device, scheme] = how.split(', ')
  const name = `dim-${device}-${scheme}`
  const width = device === 'phone' ? 'max-width: 600px' : 'min-width: 601px'
  const color = scheme === 'light' ? '#ccc' : '#444'
  const style = `<link rel="stylesheet" href="/${name}.css"></head>`
  wrongPages[name] = (samplePages['sign-in'] ?? '').replace('</head>', style)
  wrongPages[`${name}.css`] =
    `@media (prefers-color-scheme: ${scheme}) and (${width}) { h1 { color: ${color} } }`
}

let server: PageServer
let browser: Browser

beforeAll(async () => {
  server = await servePages({ ...samplePages, ...wrongPages })
  browser = await launchBrowser([server.argument])
})

afterAll(async () => {
  await browser?.close()
  server?.close()
})

describe('every page', () => {
  let context: BrowserContext
  let page: Page
  let judge: PageJudge
  let foreign: string[]
  let messages: string[]

  beforeAll(async () => {
    // Without motion: the contrast of a color in transition cannot be measured.
    context = await browser.newContext({ reducedMotion: 'reduce', viewport: narrow })
    page = await context.newPage()
    page.on('console', (message) => messages.push(message.text()))
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== origin) foreign.push(request.url())
    })
    const tab = await context.newPage()
    await tab.goto(`${origin}/sign-in`)
    judge = new PageJudge(tab)
  })

  beforeEach(() => {
    messages = []
    foreign = []
  })

  afterAll(() => context?.close())

  test.each(Object.keys(samplePages))(
    '%s loads nothing from other origins, violates no policy, fits 320 pixels with any font, and breaks no accessibility rule on phone and desktop, light and dark',
    async (name) => {
      await page.goto(`${origin}/${name}`)
      expect(await page.evaluate<number>(WIDTH)).toBe(320)
      await page.evaluate(WIDE_LETTERS)
      expect(await page.evaluate<number>(WIDTH)).toBe(320)
      await page.evaluate('document.adoptedStyleSheets = []')
      expect(messages).toEqual([])
      expect(foreign).toEqual([])
      await page.evaluate('for (const one of document.querySelectorAll("summary")) one.click()')
      expect(await judge.problemsOf(page)).toEqual(NO_PROBLEMS)
    },
  )

  test('a page that breaks a rule is found', async () => {
    await page.goto(`${origin}/broken`)
    expect((await judge.problemsOf(page))['phone, light']).toContain(
      'image-alt: <img src="/logo.svg">',
    )
  })

  test.each(Object.keys(NO_PROBLEMS))(
    'a text with too little contrast is found: %s',
    async (how) => {
      await page.goto(`${origin}/dim-${how.replace(', ', '-')}`)
      const found = await judge.problemsOf(page)
      expect(found[how]).toEqual([expect.stringMatching(/^color-contrast: <h1/)])
      expect({ ...found, [how]: [] }).toEqual(NO_PROBLEMS)
    },
  )
})

describe('a single page', () => {
  let context: BrowserContext
  let page: Page

  async function open(name: string, options: Parameters<Browser['newContext']>[0] = {}) {
    context = await browser.newContext(options)
    page = await context.newPage()
    await page.goto(`${origin}/${name}`)
  }

  afterEach(() => context?.close())

  /** The elements that Tab reaches, in order, from the initial focus. */
  async function tabStops(count: number): Promise<string[]> {
    const stops: string[] = []
    for (let i = 0; i < count; i += 1) {
      stops.push(
        await page.evaluate<string>(
          'document.activeElement.name || document.activeElement.textContent',
        ),
      )
      await page.keyboard.press('Tab')
    }
    return stops
  }

  /**
   * A browser focuses a field with `autofocus` when it first draws the page, which may be after
   * `load`.
   */
  const untilFocused = () => page.waitForFunction('document.activeElement !== document.body')

  test('sign-in starts in the email field and continues in reading order', async () => {
    await open('sign-in')
    await untilFocused()
    expect(await tabStops(4)).toEqual(['email', 'password', 'Sign in', 'Forgot your password?'])
  })

  test('sign-in starts in the password field once the email is known', async () => {
    await open('sign-in-mismatch')
    await untilFocused()
    expect((await tabStops(1))[0]).toBe('password')
    expect(await page.locator('#password').getAttribute('aria-describedby')).toBe('problem')
  })

  test('consent focuses no answer, and offers Deny before Allow', async () => {
    await open('consent')
    const [start, ...stops] = await tabStops(5)
    expect(start).toContain('wants to use your account')
    expect(stops.slice(0, 2)).toEqual(['Use another account', 'Connected apps'])
    expect(stops.slice(2)).toEqual(['decision', 'decision'])
    const decisions = page.locator('button[name=decision]')
    expect(await decisions.allTextContents()).toEqual(['Deny', 'Allow'])
  })

  test.each(['consent', 'consent-operator', 'consent-not-reviewed', 'consent-read-only'])(
    '%s: nothing that is asked lies below or under the Allow button, wherever the person scrolls to',
    async (name) => {
      await open(name, { viewport: phone })
      const asked = '.question, .person, .scopes h2, .scopes li, .scopes-note, .terms'
      const places = `{
        const allow = document.querySelector('button[value=allow]')
        const asked = [...document.querySelectorAll(${JSON.stringify(asked)})]
        const later = asked.filter((one) =>
          one.getBoundingClientRect().bottom > allow.getBoundingClientRect().top ||
          one.compareDocumentPosition(allow) !== Node.DOCUMENT_POSITION_FOLLOWING)
        ;[asked.length > 3, later.map((one) => one.textContent)]
      }`
      expect(await page.evaluate(places)).toEqual([true, []])
      await page.locator('button[value=deny]').scrollIntoViewIfNeeded()
      expect(await page.evaluate(places)).toEqual([true, []])
    },
  )

  test('Allow and Deny have the same size and colours', async () => {
    await open('consent', { viewport: phone })
    const looks = await page.evaluate<string[]>(
      `[...document.querySelectorAll('button[name=decision]')].map((button) => {
        const { color, backgroundColor, border, fontSize, fontWeight } = getComputedStyle(button)
        const { width, height } = button.getBoundingClientRect()
        return JSON.stringify([color, backgroundColor, border, fontSize, fontWeight, width, height])
      })`,
    )
    expect(looks).toHaveLength(2)
    expect(looks[0]).toBe(looks[1])
  })

  test('the account to pay to is at least as large as the text around it', async () => {
    await open('member-payment', { viewport: phone })
    const size = (part: string) =>
      page.evaluate<number>(
        `parseFloat(getComputedStyle(document.querySelector(${JSON.stringify(part)})).fontSize)`,
      )
    expect(await size('pre code')).toBeGreaterThanOrEqual(await size('.panel p'))
  })

  test('the logo of an app has a light background in the dark, for which most logos are made', async () => {
    await open('connected-apps', { colorScheme: 'dark' })
    const background = "getComputedStyle(document.querySelector('.tile-logo')).backgroundColor"
    expect(await page.evaluate<string>(background)).toBe('rgb(255, 255, 255)')
  })

  test('amounts stand at the end of their column, under their heading', async () => {
    await open('admin-courses', { viewport: desktop })
    const alignOf = (cells: string) =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('.objects ${cells}')].map((one) => getComputedStyle(one).textAlign)`,
      )
    const labels = await page.locator('.objects thead th').allTextContents()
    const place = labels.findIndex((label) => label.startsWith('Price')) + 1
    expect(await alignOf(`tbody tr > :nth-child(${place})`)).toEqual(['end', 'end', 'end'])
    expect(await alignOf(`thead th:nth-child(${place})`)).toEqual(['end'])
    expect(await alignOf(`thead th:nth-child(${place - 1})`)).not.toContain('end')
  })

  test.each(['light', 'dark'] as const)(
    'states differ by shape and by color, not by one of them alone (%s)',
    async (colorScheme) => {
      await open('admin-courses', { colorScheme })
      const looks = await page.evaluate<{ shape: string; color: string }[]>(
        `['good', 'waiting', 'warning', 'bad', 'returned', 'over'].map((tone) => {
          const badge = document.createElement('span')
          badge.className = 'badge badge-' + tone
          document.body.append(badge)
          const { clipPath, borderRadius, borderTopWidth } = getComputedStyle(badge, '::before')
          const { color, backgroundColor } = getComputedStyle(badge)
          return {
            shape: [clipPath, borderRadius, borderTopWidth].join(' '),
            color: [color, backgroundColor].join(' '),
          }
        })`,
      )
      expect(new Set(looks.map(({ shape }) => shape)).size).toBe(6)
      expect(new Set(looks.map(({ color }) => color)).size).toBe(6)
      const words = await page.locator('.objects .badge').allTextContents()
      expect(words).toEqual(['Published', 'Draft', 'Archived'])
    },
  )

  test('sign-in works with scripts off', async () => {
    await open('sign-in-for-an-app', { javaScriptEnabled: false })
    await page.fill('#password', 'correct horse')
    const [posted] = await Promise.all([
      page.waitForRequest(`${origin}/sign-in`),
      page.click('button'),
    ])
    expect(Object.fromEntries(new URLSearchParams(posted.postData() ?? ''))).toEqual({
      form_token: 'c2FtcGxlLWZvcm0tdG9rZW4',
      request: 'c2VhbGVkLXJlcXVlc3Q',
      passkey_challenge: 'c2VhbGVkLWNoYWxsZW5nZQ',
      passkey: '',
      email: 'ada@demo.test',
      password: 'correct horse',
    })
  })

  test('consent works with scripts off', async () => {
    await open('consent', { javaScriptEnabled: false })
    const [posted] = await Promise.all([
      page.waitForRequest(`${origin}/oauth/authorize/decision`),
      page.getByRole('button', { name: 'Allow' }).click(),
    ])
    expect(posted.postData()).toContain('request=c2VhbGVkLXJlcXVlc3Q&decision=allow')
  })

  test.each(['admin-overview', 'admin-courses', 'admin-audit', 'admin-applications'])(
    'the menu of %s fits 1280 x 800 without scrolling, with the current page in sight',
    async (name) => {
      await open(name, { viewport: desktop, javaScriptEnabled: false })
      const menu = await page.locator('nav.side').boundingBox()
      expect((menu?.y ?? 0) + (menu?.height ?? 0)).toBeLessThanOrEqual(desktop.height)
      const current = await page.locator('nav.side [aria-current=page]').boundingBox()
      expect(current?.height).toBeGreaterThanOrEqual(24)
    },
  )

  test('the menu opens on a phone with scripts off, and its groups do', async () => {
    await open('admin-overview', { viewport: phone, javaScriptEnabled: false })
    const posts = page.getByRole('link', { name: 'Posts' })
    await page.locator('summary', { hasText: 'Overview' }).click()
    expect(await posts.isVisible()).toBe(false)
    await page.locator('summary', { hasText: 'Content' }).click()
    await posts.click()
    await page.waitForURL('**/admin/posts')
  })

  test('the preview of the appearance follows the colours while they are chosen', async () => {
    await open('admin-appearance')
    const [asked] = await Promise.all([
      page.waitForRequest((request) => request.url().includes('primary=%230b7285')),
      page.fill('#primary_color', '#0b7285'),
    ])
    expect(new URL(asked.url()).pathname).toBe('/admin/appearance/preview.css')
    await page.waitForFunction('document.querySelectorAll("link[data-preview]").length === 1')
    expect(await page.locator('.checks').isVisible()).toBe(false)
  })
})
