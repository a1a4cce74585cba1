import { text } from 'node:stream/consumers'
import { decodeJwt } from 'jose'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violationsOf } from '../support/accessibility.ts'
import { TestAuthenticator, withSecondFactor } from '../support/authenticator.ts'
import { aPkce, authorizeParameters } from '../support/browser-like.ts'
import { aBrowserSchool, signIn, typePassword } from '../support/browser-school.ts'
import { exchange } from '../support/client-like.ts'
import { ageProof } from '../support/old-proof.ts'
import { aWorld, CALLBACK } from '../support/world.ts'

const world = await aWorld()
const { school, aPage } = await aBrowserSchool(world)

const pathOf = (page: Page) => new URL(page.url()).pathname

async function accept(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code', { exact: true }).fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).first().click()
  await page.waitForURL(`${school.origin}/`)
}

test('a member sets up the second factor and signs in with it, with scripts off', async () => {
  const ada = await world.aMember(school)
  const page = await aPage({ javaScriptEnabled: false })
  await page.goto('/account/settings')
  await signIn(page, ada)
  await page.getByRole('link', { name: 'Set it up' }).click()
  await page.getByRole('link', { name: 'Set it up' }).click()
  const image = page.getByRole('img', { name: 'QR code for your authenticator app' })
  const box = await image.boundingBox()
  expect(box?.width).toBeGreaterThan(150)
  const app = new TestAuthenticator((await page.locator('pre code').textContent()) ?? '')
  await page.getByLabel('Code', { exact: true }).fill(app.wrongCode())
  await page.getByRole('button', { name: 'Switch on' }).click()
  expect(await page.locator('#code-error').textContent()).toContain('not the current code')
  await page.getByLabel('Code', { exact: true }).fill(app.code())
  await page.getByRole('button', { name: 'Switch on' }).click()
  const codes = ((await page.locator('pre code').textContent()) ?? '').split('\n')
  expect(codes).toHaveLength(10)
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  const file = await (await downloading).createReadStream()
  expect(await text(file)).toBe(`${codes.join('\n')}\n`)
  await page.getByRole('link', { name: 'I have saved them' }).click()
  await page.getByText('10 codes left').waitFor()
  await signOut(page)

  await page.goto('/account/apps')
  await typePassword(page, ada)
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor()
  await accept(page, app.wrongCode())
  expect(await page.locator('#code-error').textContent()).toContain('wrong or was used before')
  await page.getByLabel('Trust this browser for 30 days').check()
  await accept(page, app.code(1))
  await page.waitForURL('**/account/apps')
  await signOut(page)

  await page.goto('/account/second-factor')
  await signIn(page, ada)
  expect(pathOf(page)).toBe('/account/second-factor')

  const elsewhere = await aPage({ javaScriptEnabled: false })
  await elsewhere.goto('/account')
  await typePassword(elsewhere, ada)
  await accept(elsewhere, codes[3] ?? '')
  await elsewhere.waitForURL('**/account')

  // A trusted browser is no proof: what a stolen session must not do asks for a code.
  await page.getByRole('button', { name: 'Make new recovery codes' }).click()
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
  await accept(page, codes[4] ?? '')
  await page.getByRole('button', { name: 'Send it now' }).click()
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  expect(await page.locator('pre code').textContent()).not.toContain(codes[5])
})

test('an owner demands a second factor of all operators; an admin is warned, then stopped, sets one up and goes on', async () => {
  const [owner, admin] = [
    await world.aMember(school, ['owner']),
    await world.aMember(school, ['admin']),
  ]
  const { app } = await withSecondFactor(world, school, owner)
  const settings = await aPage({ javaScriptEnabled: false })
  await settings.goto('/admin/settings')
  await typePassword(settings, owner)
  await accept(settings, app.code())
  await settings.getByLabel('Time to set it up').selectOption('7')
  await settings.getByRole('button', { name: 'Require it' }).click()
  await settings.getByText('It is required in 7 days').waitFor()

  const page = await aPage()
  await page.goto('/admin/students')
  await signIn(page, admin)
  await page.getByText('In 7 days this area needs a passkey or a second factor').waitFor()
  expect(await violationsOf(page)).toEqual([])
  const from = new Date(Date.now() - 3_600_000)
  await world.database.pool.query('update schools set operator_factor_from = $2 where id = $1', [
    school.id,
    from,
  ])
  world.context.directory.forget(school.id)
  await page.reload()
  await page.getByRole('heading', { name: 'Your sign-in is not enough here' }).waitFor()
  expect(await violationsOf(page)).toEqual([])
  await page.getByRole('link', { name: 'Set up a second factor' }).click()
  await page.getByRole('link', { name: 'Set it up' }).click()
  const theirs = new TestAuthenticator((await page.locator('pre code').textContent()) ?? '')
  await page.getByLabel('Code', { exact: true }).fill(theirs.code())
  await page.getByRole('button', { name: 'Switch on' }).click()
  await page.getByRole('link', { name: 'I have saved them' }).waitFor()
  await page.goto('/admin/students')
  await page.getByRole('heading', { name: 'Students' }).waitFor()

  await settings.getByRole('button', { name: 'Stop requiring it' }).click()
  await settings.getByText('It is not required.').waitFor()
})

test('an app that asks for a recent sign-in and two factors makes the person give both again, and is told so', async () => {
  const ada = await world.aMember(school)
  const { app } = await withSecondFactor(world, school, ada)
  const client = await world.aPublicClient(school)
  const page = await aPage({ javaScriptEnabled: false })
  await page.goto('/account')
  await typePassword(page, ada)
  await accept(page, app.code())
  await page.waitForURL('**/account')
  await ageProof(world, ada)

  const pkce = aPkce()
  const asked = { max_age: '300', acr_values: 'https://refeds.org/profile/mfa' }
  await page.goto(`/oauth/authorize?${authorizeParameters(school, client, pkce, asked)}`)
  expect(pathOf(page)).toBe('/sign-in')
  await typePassword(page, ada)
  await accept(page, app.code(1))
  const [arrived] = await Promise.all([
    page.waitForRequest((request) => request.url().startsWith(CALLBACK)),
    page.getByRole('button', { name: 'Allow' }).click(),
  ])
  const code = new URL(arrived.url()).searchParams.get('code') ?? ''
  const { id_token } = (await exchange(world, school, client, code, pkce.verifier)).json()
  const { acr, amr, auth_time = 0, iat = 0 } = decodeJwt<{ auth_time: number }>(id_token)
  expect([acr, amr]).toEqual([asked.acr_values, ['pwd', 'otp', 'mfa']])
  expect(iat - auth_time).toBeLessThan(300)
})

test('the pages about the second factor break no rule of accessibility, also on a phone', async () => {
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 360, height: 740 },
  ]) {
    const ada = await world.aMember(school)
    const page = await aPage({ viewport })
    await page.goto('/account/second-factor')
    await signIn(page, ada)
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'Set it up' }).click()
    await page.locator('.qr-code').waitFor()
    expect(await violationsOf(page)).toEqual([])
    const wide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
    expect(await page.evaluate<boolean>(wide)).toBe(false)
    const app = new TestAuthenticator((await page.locator('pre code').textContent()) ?? '')
    await page.getByLabel('Code', { exact: true }).fill(app.code())
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByRole('link', { name: 'I have saved them' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    const other = await aPage({ viewport })
    await other.goto('/sign-in')
    await typePassword(other, ada)
    await other.getByLabel('Code', { exact: true }).waitFor()
    expect(await violationsOf(other)).toEqual([])
    const trust = await other.getByLabel('Trust this browser').boundingBox()
    expect(trust?.width).toBeGreaterThanOrEqual(20)
  }
})
