import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { queryOf } from '../support/authorization.ts'
import { launchBrowser } from '../support/browser.ts'
import { aPkce, authorizeParameters } from '../support/browser-like.ts'
import { exchange } from '../support/client-like.ts'
import {
  aWorld,
  PASSWORD,
  type TestClient,
  type TestPerson,
  type TestSchool,
} from '../support/world.ts'

const world = await aWorld()
let browser: Browser
let school: TestSchool
let person: TestPerson
let client: TestClient
/** The server of the client: for the browser it is another site. */
let app: Server
let appOrigin: string
let visits: string[] = []

const listening = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

const html = (body: string) => `<!doctype html><html lang="en"><title>App</title>${body}`

/** Pages of the client, or of an attacker that poses as a client. Tests add their own. */
const pages = new Map<string, string>()

beforeAll(async () => {
  app = createServer((request, response) => {
    const url = request.url ?? '/'
    if (url !== '/favicon.ico') visits.push(url)
    if (url.startsWith('/onward')) {
      response.writeHead(302, { location: `http://localhost:${portOf(app)}/arrived` }).end()
      return
    }
    response.setHeader('content-type', 'text/html')
    response.end(pages.get(url) ?? html('<h1>Back at the app</h1>'))
  })
  appOrigin = `http://127.0.0.1:${await listening(app)}`
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  const made = await world.aSchool()
  const origin = `http://${made.subdomain}.localhost:${portOf(world.app.server)}`
  await world.database.pool.query('update schools set origin = $2 where id = $1', [made.id, origin])
  world.context.directory.forget()
  school = { ...made, origin }
  person = await world.aMember(school)
  await world.database.pool.query('update users set avatar_url = null')
  const redirectUris = [`${appOrigin}/callback`, `${appOrigin}/onward`]
  const postLogoutRedirectUris = [`${appOrigin}/signed-out`]
  client = await world.aPublicClient(school, { redirectUris, postLogoutRedirectUris })
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  app?.closeAllConnections()
  app?.close()
})

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** A page in a browser context of its own, and its console messages. */
async function aPage(
  options: BrowserContextOptions = {},
): Promise<{ page: Page; messages: string[] }> {
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  visits = []
  const messages: string[] = []
  const page = await context.newPage()
  page.on('console', (message) => {
    // Chromium reports what a sign-out clears.
    if (message.text().startsWith('Clear-Site-Data')) return
    messages.push(`${message.text()} ${message.location().url}`)
  })
  return { page, messages }
}

const requestOf = (overrides: Record<string, string | undefined> = {}) =>
  `${school.origin}/oauth/authorize?${queryOf({ school, client }, overrides)}`

/** Signs in without a mouse: the focus is already in the first field. */
async function signInByKeyboard(page: Page): Promise<void> {
  expect(await page.locator(':focus').getAttribute('name')).toBe('email')
  await page.keyboard.type(person.email)
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').getAttribute('name')).toBe('password')
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/consent?*')
}

async function pressByKeyboard(page: Page, button: string): Promise<void> {
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab')
    if ((await page.locator(':focus').innerText()) === button) {
      await page.keyboard.press('Enter')
      return
    }
  }
  throw new Error(`Tab never reaches ${button}`)
}

const parametersOf = (page: Page) => new URL(page.url()).searchParams

describe('with only the keyboard and scripts off', () => {
  verifies(
    ['pages.consent.interactive', 'pages.consent.buttons', 'pages.sign-in.form'],
    'a person signs in, reads, allows, and arrives at the app with a code that works',
    async () => {
      const { page, messages } = await aPage({ javaScriptEnabled: false })
      const pkce = aPkce()
      const query = authorizeParameters(school, client, pkce)
      await page.goto(`${school.origin}/oauth/authorize?${query}`)
      await signInByKeyboard(page)
      expect(await page.locator('h1').innerText()).toContain('wants to use your account')
      await pressByKeyboard(page, 'Allow')
      await page.waitForURL(`${appOrigin}/callback?*`)
      expect(await page.locator('h1').innerText()).toBe('Back at the app')
      expect(parametersOf(page).get('state')).toBe('a state')
      expect(parametersOf(page).get('iss')).toBe(school.origin)
      const code = parametersOf(page).get('code') ?? ''
      const answer = await exchange(world, school, client, code, pkce.verifier)
      expect(answer.statusCode).toBe(200)
      expect(messages).toEqual([])
    },
  )

  verifies(
    'authorize.denied',
    'a person presses Deny, and the app gets access_denied',
    async () => {
      const { page, messages } = await aPage({ javaScriptEnabled: false })
      await page.goto(requestOf())
      await signInByKeyboard(page)
      await pressByKeyboard(page, 'Deny')
      await page.waitForURL(`${appOrigin}/callback?*`)
      expect(parametersOf(page).get('error')).toBe('access_denied')
      expect(messages).toEqual([])
    },
  )

  test('a wrong password is reported at the form, with the email kept and the focus in the password', async () => {
    const { page } = await aPage({ javaScriptEnabled: false })
    await page.goto(requestOf())
    expect(await page.locator(':focus').getAttribute('name')).toBe('email')
    await page.keyboard.type(person.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type('not it')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=alert]')
    expect(await page.inputValue('[name=email]')).toBe(person.email)
    expect(await page.locator(':focus').getAttribute('name')).toBe('password')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/consent?*')
  })
})

async function signedInPage() {
  const window = await aPage()
  await window.page.goto(requestOf())
  await signInByKeyboard(window.page)
  return window
}

describe('rules of the browser', () => {
  verifies(
    'pages.security.headers',
    'the policy allows the redirect after consent even if the app redirects to another site',
    async () => {
      const { page, messages } = await aPage()
      await page.goto(requestOf({ redirect_uri: `${appOrigin}/onward` }))
      await signInByKeyboard(page)
      await pressByKeyboard(page, 'Allow')
      await page.waitForURL('**/arrived')
      expect(visits[0]).toMatch(/^\/onward\?code=/)
      expect(messages).toEqual([])
    },
  )

  verifies(
    'authorize.get-and-post',
    'a cross-site POST of the authorization request finds the session',
    async () => {
      const { page } = await signedInPage()
      const fields = [...authorizeParameters(school, client, aPkce())]
        .map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
        .join('')
      const form = `<form method="post" action="${school.origin}/oauth/authorize">${fields}<button>Connect</button></form>`
      pages.set('/connect', html(form))
      await page.goto(`${appOrigin}/connect`)
      await page.click('button')
      await page.waitForURL(`${school.origin}/consent?*`)
      expect(await page.locator('h1').innerText()).toContain('wants to use your account')
    },
  )

  verifies(
    ['pages.security.form-token', 'rfc9700.csrf'],
    'another site that posts the consent form of the signed-in person gets nothing',
    async () => {
      const { page } = await signedInPage()
      const fields: string[] = []
      for (const input of await page.locator('form[action="/consent"] input').all()) {
        const [name, value] = [await input.getAttribute('name'), await input.inputValue()]
        fields.push(`<input type="hidden" name="${name}" value="${value}">`)
      }
      const form = `<form method="post" action="${school.origin}/consent">${fields.join('')}<button name="decision" value="allow">Win</button></form>`
      pages.set('/trap', html(form))
      await page.goto(`${appOrigin}/trap`)
      visits = []
      const [answer] = await Promise.all([page.waitForResponse('**/consent'), page.click('button')])
      expect(answer.status()).toBe(403)
      expect(visits).toEqual([])
    },
  )

  verifies(
    'rfc9700.clickjacking',
    'another site cannot show the consent page in a frame',
    async () => {
      const { page, messages } = await signedInPage()
      pages.set('/frame', html(`<iframe src="${page.url()}"></iframe>`))
      await page.goto(`${appOrigin}/frame`)
      await expect.poll(() => messages.join(' ')).toMatch(/frame-ancestors|X-Frame-Options/)
      const texts = await Promise.all(page.frames().map((frame) => frame.content()))
      expect(texts.join(' ')).not.toContain('wants to use your account')
    },
  )

  test('going back after the answer loads the consent page again, not a stored copy', async () => {
    const { page } = await signedInPage()
    await pressByKeyboard(page, 'Deny')
    await page.waitForURL(`${appOrigin}/callback?*`)
    const [answer] = await Promise.all([page.waitForResponse('**/consent?*'), page.goBack()])
    expect(answer.fromServiceWorker()).toBe(false)
    expect(answer.status()).toBe(200)
  })
})

/** The app gets an ID token, then shows a page with a form or link to the sign-out. */
async function signedInApp() {
  const window = await aPage()
  const pkce = aPkce()
  await window.page.goto(
    `${school.origin}/oauth/authorize?${authorizeParameters(school, client, pkce)}`,
  )
  await signInByKeyboard(window.page)
  await pressByKeyboard(window.page, 'Allow')
  await window.page.waitForURL(`${appOrigin}/callback?*`)
  const code = parametersOf(window.page).get('code') ?? ''
  const { id_token } = (await exchange(world, school, client, code, pkce.verifier)).json()
  return { ...window, idToken: String(id_token) }
}

const isSignedIn = async (page: Page) => {
  await page.goto(`${school.origin}/account`)
  return new URL(page.url()).pathname === '/account'
}

describe('sign-out by the app', () => {
  verifies(
    'logout.post',
    'a cross-site POST with the ID token signs out, and the browser is back at the app',
    async () => {
      const { page, messages, idToken } = await signedInApp()
      const fields = Object.entries({
        id_token_hint: idToken,
        post_logout_redirect_uri: `${appOrigin}/signed-out`,
        state: 'a state',
      }).map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
      const form = `<form method="post" action="${school.origin}/oauth/logout">${fields.join('')}<button>Leave</button></form>`
      pages.set('/leave', html(form))
      await page.goto(`${appOrigin}/leave`)
      await page.click('button')
      await page.waitForURL(`${appOrigin}/signed-out?*`)
      expect(parametersOf(page).get('state')).toBe('a state')
      expect(messages).toEqual([])
      expect(await isSignedIn(page)).toBe(false)
    },
  )

  verifies(
    'logout.asks-first',
    'a link without the ID token asks; the person presses Sign out and is back at the app',
    async () => {
      const { page, messages } = await signedInApp()
      const query = new URLSearchParams({
        client_id: client.clientId,
        post_logout_redirect_uri: `${appOrigin}/signed-out`,
      })
      pages.set('/link', html(`<a href="${school.origin}/oauth/logout?${query}">Leave</a>`))
      await page.goto(`${appOrigin}/link`)
      await page.click('a')
      await page.waitForSelector('h1')
      expect(await page.locator('h1').innerText()).toBe('Sign out?')
      await pressByKeyboard(page, 'Sign out')
      await page.waitForURL(`${appOrigin}/signed-out`)
      expect(messages).toEqual([])
      expect(await isSignedIn(page)).toBe(false)
    },
  )

  verifies(
    ['logout.asks-first', 'rfc9700.clickjacking'],
    'another site can neither frame the question nor sign out by an image or a frame',
    async () => {
      const { page, messages, idToken } = await signedInApp()
      const address = `${school.origin}/oauth/logout`
      const trap = `<iframe src="${address}"></iframe><img src="${address}?id_token_hint=${idToken}">`
      pages.set('/trap-sign-out', html(trap))
      await page.goto(`${appOrigin}/trap-sign-out`)
      await expect.poll(() => messages.join(' ')).toMatch(/frame-ancestors|X-Frame-Options/)
      const texts = await Promise.all(page.frames().map((frame) => frame.content()))
      expect(texts.join(' ')).not.toContain('Sign out?')
      expect(await isSignedIn(page)).toBe(true)
    },
  )
})
