import { expect, test } from 'vitest'
import { createApplication } from '../../src/domain/clients/application-operations.ts'
import { violationsOf } from '../support/accessibility.ts'
import { aBrowserSchool, signIn } from '../support/browser-school.ts'
import { aPair, userinfo } from '../support/client-like.ts'
import { outputOf, performByCommandLine as perform } from '../support/performing.ts'
import { aWorld, PASSWORD } from '../support/world.ts'

const world = await aWorld()
const { school, aPage } = await aBrowserSchool(world)
const owner = await world.aMember(school, ['owner'])

test('an owner finds the applications, creates one and reads its secret, with scripts off', async () => {
  const page = await aPage({ javaScriptEnabled: false })
  await page.goto('/admin')
  await signIn(page, owner)
  expect(new URL(page.url()).pathname).toBe('/admin')
  await page.goto('/admin/settings')
  await page.getByLabel('MCP connections').check()
  await page.getByRole('button', { name: 'Save beta features' }).click()
  await page.locator('summary', { hasText: 'Developers' }).click()
  await page.getByRole('link', { name: 'OAuth applications' }).click()
  await page.getByRole('link', { name: 'New application' }).click()
  await page.getByLabel('Name').fill('School website')
  await page.getByLabel('Redirect URIs', { exact: true }).fill('http://website.example/callback')
  await page.getByLabel('Confidential application').check()
  await page.getByRole('button', { name: 'Create application' }).click()
  expect(await page.locator('#redirect_uris-error').textContent()).toContain('Use https')
  expect(await page.getByLabel('Confidential application').isChecked()).toBe(true)
  await page.getByLabel('Redirect URIs', { exact: true }).fill('https://website.example/callback')
  await page.getByRole('button', { name: 'Create application' }).click()
  expect(await page.locator('.secret').textContent()).toMatch(/^sg_cs_/)
  await page.getByRole('link', { name: 'I have copied it' }).click()
  expect(await page.locator('.page-head .badge').textContent()).toBe('Confidential')
  expect(await page.content()).not.toContain('sg_cs_')
})

test('a member ends the access of an app by keyboard, and its token stops working at once', async () => {
  const client = await world.aPublicClient(school, { name: 'Study Planner' })
  const ada = await world.aMember(school)
  const pair = await aPair(world, school, client, ada)
  const page = await aPage()
  await page.goto('/account/apps')
  await signIn(page, ada)
  await page.getByRole('heading', { name: 'Connected apps' }).waitFor()
  await page.bringToFront()
  await page.keyboard.press('Tab')
  expect(await page.evaluate<string>('document.activeElement.textContent')).toBe(
    'Skip to the content',
  )
  await page.keyboard.press('Enter')
  const stops: string[] = []
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press('Tab')
    stops.push(await page.evaluate<string>('document.activeElement.textContent'))
  }
  expect(stops[0]).toContain('Account settings')
  expect(stops[1]).toMatch(/^End Study Planner/)
  expect(stops[2]).toBe('What it may do')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByText('No app has access').waitFor()
  expect(await page.getByRole('status').textContent()).toContain('Ended.')
  expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
})

test('a member copies what an assistant needs; with scripts off there is no button, and the text is there', async () => {
  const made = await perform(school, createApplication, {
    name: 'Claude',
    redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
    scopes: ['openid', 'account:read'],
    confidential: false,
    assistant: 'claude',
  })
  const { client_id: clientId } = outputOf(made)
  const ada = await world.aMember(school)
  const page = await aPage({ permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto('/account/assistants')
  await signIn(page, ada)
  await page.getByRole('button', { name: 'Copy the client_id of Claude' }).click()
  await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' })
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(clientId)
  expect(await violationsOf(page)).toEqual([])

  const plain = await aPage({ javaScriptEnabled: false })
  await plain.goto('/account/assistants')
  await signIn(plain, ada)
  expect(await plain.locator('#address').textContent()).toBe(`${school.origin}/mcp/member`)
  expect(await plain.locator('button[data-copies]:visible').count()).toBe(0)
})

test('a member who changes the password stays signed in here and is signed out everywhere else', async () => {
  const ben = await world.aMember(school)
  const [page, other] = [await aPage(), await aPage()]
  for (const one of [page, other]) {
    await one.goto('/account/password')
    await signIn(one, ben)
  }
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByLabel('New password').fill('a much better password')
  await page.getByRole('button', { name: 'Change password' }).click()
  expect(await page.getByRole('status').first().textContent()).toContain(
    'signed out everywhere else',
  )
  await other.goto('/account')
  expect(new URL(other.url()).pathname).toBe('/sign-in')
})

test('the page of an unknown host has its style', async () => {
  const page = await aPage()
  await page.goto(school.origin.replace('//', '//nobody-'))
  await page.getByRole('heading', { name: 'There is no school here' }).waitFor()
  const width = 'document.querySelector(".card").getBoundingClientRect().width'
  expect(await page.evaluate<number>(width)).toBeLessThan(800)
  expect(await page.evaluate<number>('document.styleSheets[0].cssRules.length')).toBeGreaterThan(50)
  expect(await violationsOf(page)).toEqual([])
})

test('pages with real rows break no accessibility rule', async () => {
  const page = await aPage()
  await page.goto('/admin')
  await signIn(page, owner)
  const paths = ['/', '/docs', '/account', '/admin', '/admin/audit', '/admin/keys']
  for (const path of paths) {
    await page.goto(path)
    expect(await violationsOf(page), path).toEqual([])
  }
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${school.origin}/`)
})

test('a student reads why the admin area is closed', async () => {
  const page = await aPage()
  await page.goto('/admin/audit')
  await signIn(page, await world.aMember(school))
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(
    'This area is for owners and admins',
  )
  expect(await violationsOf(page)).toEqual([])
})
