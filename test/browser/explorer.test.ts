import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { aListeningSchool } from '../support/listening-school.ts'
import { aWorld, PASSWORD } from '../support/world.ts'

const world = await aWorld()
const school = await aListeningSchool(world, { mcpConnections: true })
let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
}, 60_000)
afterAll(() => browser.close())

describe('the explorer', () => {
  test('loads everything from the school, compressed and cacheable without end', async () => {
    const headers = { host: new URL(school.origin).host }
    const page = await world.app.inject({ url: '/member/explorer', headers })
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-security-policy']).toContain("script-src 'self';")
    expect(page.headers['content-security-policy']).toContain("connect-src 'self';")
    expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//)
    const paths = [...page.body.matchAll(/(?:src|href)="(\/member\/explorer\/[^"]+)"/g)]
    expect(paths).toHaveLength(6)
    for (const [, url = ''] of paths) {
      const asset = await world.app.inject({
        url,
        headers: { ...headers, 'accept-encoding': 'gzip' },
      })
      expect(asset.statusCode).toBe(200)
      expect(asset.headers['content-encoding']).toBe('gzip')
      expect(asset.headers['cache-control']).toContain('immutable')
      expect(asset.headers['content-type']).toMatch(url.endsWith('.js') ? /javascript/ : /css/)
    }
  })

  test('signs in by the usual OAuth flow, runs a query, and signs out', async () => {
    const ada = await world.aMember(school)
    const context = await browser.newContext()
    const page = await context.newPage()
    const violations: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) violations.push(message.text())
    })
    await page.goto(`${school.origin}/member/explorer`)
    await page.getByRole('button', { name: 'Sign in and explore' }).click()
    await page.getByLabel('Email').fill(ada.email)
    await page.locator('input[name="password"]').fill(PASSWORD)
    await page.locator('form[action="/sign-in"] button[type="submit"]').click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('button', { name: /Execute query/ }).click()
    await page.waitForFunction((name) => document.body.innerText.includes(name), ada.name)
    expect(page.url()).toBe(`${school.origin}/member/explorer`)
    expect(
      await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage })),
    ).not.toMatch(/access_token|refresh_token|verifier/)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in and explore' }).waitFor()
    const live = await world.database.db
      .selectFrom('token_pairs')
      .select('id')
      .where('revoked_at', 'is', null)
      .execute()
    expect(live).toEqual([])
    expect(violations).toEqual([])
    await context.close()
  }, 60_000)

  test('does not exchange a code of a sign-in that this tab did not start', async () => {
    const page = await browser.newPage()
    const calls: string[] = []
    page.on('request', (request) => calls.push(new URL(request.url()).pathname))
    const iss = encodeURIComponent(school.origin)
    await page.goto(`${school.origin}/member/explorer?code=stolen&state=x&iss=${iss}`)
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toMatch(/does not belong to a sign-in/)
    expect(calls).not.toContain('/api/oauth/token')
    await page.close()
  }, 60_000)
})
