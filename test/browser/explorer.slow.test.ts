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
})
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
    await page.getByRole('button', { name: /Execute query/ }).waitFor()
    // Before anything was typed: the query is still there, in one tab.
    await page.reload()
    await page.getByText('enrolledCourses', { exact: true }).first().waitFor()
    expect(await page.locator('.graphiql-tab').count()).toBeLessThanOrEqual(1)
    await page.getByRole('button', { name: /Execute query/ }).click()
    await page.waitForFunction((name) => document.body.innerText.includes(name), ada.name)
    expect(page.url()).toBe(`${school.origin}/member/explorer`)
    // What outlives the tab, or a sign-in that is done, holds no secret.
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toMatch(/_token/)
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toMatch(/verifier/)

    await page.reload()
    await page.getByRole('button', { name: /Execute query/ }).click()
    await page.waitForFunction((name) => document.body.innerText.includes(name), ada.name)

    // After two hours it refreshes with its own refresh token, also right after a reload.
    await world.database.db
      .updateTable('token_pairs')
      .set({ access_expires_at: new Date(0) })
      .execute()
    await page.reload()
    await page.getByRole('button', { name: /Execute query/ }).click()
    await page.waitForFunction((name) => document.body.innerText.includes(name), ada.name)

    // A sign-out that fails says so, and can be tried again.
    await page.route('**/api/oauth/revoke', (route) => route.abort())
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('you are still signed in').waitFor()
    await page.unroute('**/api/oauth/revoke')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in and explore' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Sign in and explore' }).waitFor()
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toMatch(/_token/)
    const live = await world.database.db
      .selectFrom('token_pairs')
      .select('id')
      .where('revoked_at', 'is', null)
      .execute()
    expect(live).toEqual([])
    expect(violations).toEqual([])
    await context.close()
  })

  test('shows nothing to the next person at this browser after a sign-out from the school', async () => {
    const ada = await world.aMember(school)
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${school.origin}/member/explorer`)
    await page.getByRole('button', { name: 'Sign in and explore' }).click()
    await page.getByLabel('Email').fill(ada.email)
    await page.locator('input[name="password"]').fill(PASSWORD)
    await page.locator('form[action="/sign-in"] button[type="submit"]').click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('button', { name: /Execute query/ }).waitFor()
    await page.goto(`${school.origin}/sign-out`)
    await page.locator('form[action="/sign-out"] button[type="submit"]').click()
    await page.waitForURL(`${school.origin}/`)
    await page.goto(`${school.origin}/member/explorer`)
    await page.getByRole('button', { name: 'Sign in and explore' }).waitFor()
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toMatch(/_token/)
    await context.close()
  })

  test('a duplicated tab forgets the tokens that the browser copied, and the first tab goes on', async () => {
    const ada = await world.aMember(school)
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${school.origin}/member/explorer`)
    await page.getByRole('button', { name: 'Sign in and explore' }).click()
    await page.getByLabel('Email').fill(ada.email)
    await page.locator('input[name="password"]').fill(PASSWORD)
    await page.locator('form[action="/sign-in"] button[type="submit"]').click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('button', { name: /Execute query/ }).waitFor()
    // A window that a page opens begins with a copy of its session storage, like a duplicated tab.
    const opened = context.waitForEvent('page')
    await page.evaluate(() => void window.open('/member/explorer'))
    const copy = await opened
    await copy.getByText('This tab is a copy of another one').waitFor()
    await copy.getByRole('button', { name: 'Sign in and explore' }).waitFor()
    expect(await copy.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toMatch(/_token/)
    await copy.close()
    await world.database.db
      .updateTable('token_pairs')
      .set({ access_expires_at: new Date(0) })
      .execute()
    await page.reload()
    await page.getByRole('button', { name: /Execute query/ }).click()
    await page.waitForFunction((name) => document.body.innerText.includes(name), ada.name)
    await context.close()
  })

  test('follows dark mode and the colour of the school, and leads back', async () => {
    await world.database.db
      .insertInto('appearances')
      .values({ school_id: school.id, primary_color: '#0a7d33', accent_color: '#f2a33a' })
      .onConflict((conflict) =>
        conflict.column('school_id').doUpdateSet({ primary_color: '#0a7d33' }),
      )
      .execute()
    world.context.directory.forget()
    const background = async (colorScheme: 'light' | 'dark') => {
      const page = await browser.newPage({ colorScheme })
      await page.goto(`${school.origin}/member/explorer`)
      const shown = await page.evaluate(() => ({
        page: getComputedStyle(document.body).backgroundColor,
        button: getComputedStyle(document.getElementById('sign-in') ?? document.body)
          .backgroundColor,
      }))
      await page.getByRole('link', { name: 'Guide' }).click()
      await page.waitForURL(`${school.origin}/docs`)
      await page.close()
      return shown
    }
    const [light, dark] = [await background('light'), await background('dark')]
    expect(light.page).toBe('rgb(255, 255, 255)')
    expect(dark.page).toBe('rgb(24, 27, 33)')
    expect([light.button, dark.button]).toEqual(['rgb(10, 125, 51)', 'rgb(10, 125, 51)'])
  })

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
  })
})
