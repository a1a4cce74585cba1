import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import { parseTrustProxy } from '../../src/foundation/http/client-address.ts'
import { verifies } from '../spec/verifies.ts'
import { queryOf } from '../support/authorization.ts'
import { launchBrowser } from '../support/browser.ts'
import { portOf } from '../support/raw-http.ts'
import { aPlainProxy, aTlsProxy } from '../support/tls-proxy.ts'
import { aWorld, PASSWORD, type TestPerson, type TestSchool } from '../support/world.ts'

/**
 * Schools on sibling names of one domain, and a hostile sibling that sets cookies for the whole
 * domain: a session of the attacker, or rubbish.
 */

const HOST = 'good.school.test'
const EVIL = 'evil.school.test'
const NAMES = ['schoolgate', 'schoolgate-form', 'schoolgate-secret', 'schoolgate-device']

const world = await aWorld({ trust: parseTrustProxy('loopback') })
let browser: Browser
let secure: TestSchool
let plain: TestSchool
let evilPort: { https: number; http: number }
/** What the hostile sibling sets, as raw Set-Cookie values. */
let tossed: string[] = []

const toss = (_request: IncomingMessage, response: ServerResponse): void => {
  response.setHeader('content-type', 'text/html')
  // Node would encode a name that is not ASCII as UTF-8; a hostile server sends the bytes it likes.
  response.setHeader('set-cookie', tossed)
  response.end('<!doctype html><title>evil</title>')
}

async function aSchoolAt(origin: string): Promise<TestSchool> {
  const made = await world.aSchool()
  await world.database.pool.query('update schools set origin = $2 where id = $1', [made.id, origin])
  world.context.directory.forget()
  return { ...made, origin }
}

beforeAll(async () => {
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  const appPort = portOf(world.app.server)
  const https = await aTlsProxy(appPort, { [EVIL]: toss })
  const http = await aPlainProxy(appPort, { [EVIL]: toss })
  evilPort = { https, http }
  secure = await aSchoolAt(`https://${HOST}:${https}`)
  plain = await aSchoolAt(`http://${HOST}:${http}`)
  browser = await launchBrowser(['--host-resolver-rules=MAP *.school.test 127.0.0.1'])
})

afterAll(() => browser?.close())

async function aContext(): Promise<BrowserContext> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  onTestFinished(() => context.close())
  return context
}

async function signIn(page: Page, school: TestSchool, person: TestPerson): Promise<void> {
  await page.goto(`${school.origin}/sign-in`)
  await page.fill('[name=email]', person.email)
  await page.fill('[name=password]', PASSWORD)
  await page.press('[name=password]', 'Enter')
  await page.waitForURL('**/account')
}

/** The session cookie of the attacker at this school. */
async function attackersCookie(school: TestSchool, attacker: TestPerson): Promise<string> {
  const context = await aContext()
  await signIn(await context.newPage(), school, attacker)
  const cookies = await context.cookies(school.origin)
  return cookies.find(({ name }) => /^(__Host-)?schoolgate(-\d+)?$/.test(name))?.value ?? ''
}

async function visitEvil(page: Page): Promise<void> {
  await page.goto(`http://${EVIL}:${evilPort.http}/`)
  await page.goto(`https://${EVIL}:${evilPort.https}/`)
}

/** Every spelling of our names that a sibling may try. */
function planted(value: string, port: string): string[] {
  const names = NAMES.flatMap((name) => [
    `__Host-${name}`,
    `__Secure-${name}`,
    `\u00a0__Host-${name}`,
    `=__Host-${name}`,
    `__HOST-${name}`,
    `${name}-${port}`,
  ])
  return names.flatMap((name) => [
    `${name}=${value}; Domain=school.test; Path=/; Secure`,
    `${name}=${value}; Domain=school.test; Path=/sign-in`,
    `${name}=${value}; Domain=school.test; Path=/`,
  ])
}

describe('a hostile sibling subdomain sets cookies for the whole domain', () => {
  verifies(
    'house.cookies.tossed',
    'on https nothing changes: the browser gets no session of the attacker and keeps its own',
    async () => {
      const [victim, attacker] = [await world.aMember(secure), await world.aMember(secure)]
      const { port } = new URL(secure.origin)
      tossed = planted(await attackersCookie(secure, attacker), port)
      const context = await aContext()
      const page = await context.newPage()
      await visitEvil(page)
      // Session fixation: the victim would enter data into the account of the attacker.
      await page.goto(`${secure.origin}/account`)
      expect(page.url()).toContain('/sign-in')
      await signIn(page, secure, victim)
      expect(await page.content()).toContain(victim.email)
      await visitEvil(page)
      await page.goto(`${secure.origin}/account`)
      expect(await page.content()).toContain(victim.email)
      expect(await page.content()).not.toContain(attacker.email)
      const client = await world.aPublicClient(secure)
      await page.goto(`${secure.origin}/oauth/authorize?${queryOf({ school: secure, client })}`)
      expect(await page.content()).toContain(victim.email)
    },
  )

  verifies(
    'house.cookies.tossed',
    'on http, where no prefix protects, a person who is signed in is signed out, never somebody else',
    async () => {
      const [victim, attacker] = [await world.aMember(plain), await world.aMember(plain)]
      const { port } = new URL(plain.origin)
      const context = await aContext()
      const page = await context.newPage()
      await signIn(page, plain, victim)
      tossed = planted(await attackersCookie(plain, attacker), port)
      await visitEvil(page)
      await page.goto(`${plain.origin}/account`)
      expect(page.url()).toContain('/sign-in')
      expect(await page.content()).not.toContain(attacker.email)
    },
  )
})
