import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { violationsOf } from '../support/accessibility.ts'
import { queryOf } from '../support/authorization.ts'
import { aBrowserSchool, aSchoolAtLocalhost, signIn } from '../support/browser-school.ts'
import { VirtualDevice } from '../support/virtual-device.ts'
import { aWorld, type TestPerson } from '../support/world.ts'

const world = await aWorld()
const { school, aPage } = await aBrowserSchool(world)

/** The browser does not offer passkeys in the field, so that only the button asks for one. */
const WITHOUT_AUTOFILL = 'PublicKeyCredential.isConditionalMediationAvailable = async () => false'

async function signInByPassword(page: Page, person: TestPerson, origin = school.origin) {
  await page.goto(`${origin}/sign-in`)
  await signIn(page, person)
  await page.waitForURL('**/account')
}

async function signOut(page: Page, origin = school.origin): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${origin}/`)
}

/** A person who made a passkey with one click and signed out. */
async function aHolder(script = WITHOUT_AUTOFILL) {
  const person = await world.aMember(school)
  const page = await aPage({ script })
  const device = await VirtualDevice.of(page)
  await signInByPassword(page, person)
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await page.getByText('Your passkey is ready.').waitFor()
  await signOut(page)
  return { person, page, device }
}

const usePasskey = async (page: Page): Promise<void> =>
  await page.getByRole('button', { name: 'Use a passkey' }).click()

describe('a person with a passkey', () => {
  test('makes it with one click and signs in without an email', async () => {
    const { person, page, device } = await aHolder()
    expect(await device.credentials()).toHaveLength(1)
    await page.goto('/sign-in')
    expect(await violationsOf(page)).toEqual([])
    await usePasskey(page)
    await page.waitForURL('**/account')
    expect(await page.content()).toContain(person.email)
    await page.goto('/account/passkeys')
    expect(await page.locator('.rows li').count()).toBe(1)
    expect(await violationsOf(page)).toEqual([])
  })

  test('is offered it in the field for the email, and the app that waits goes on', async () => {
    const { person, page } = await aHolder('')
    const client = await world.aPublicClient(school)
    // The virtual device answers the request of the field at once.
    await page.goto(`/oauth/authorize?${queryOf({ school, client })}`)
    await page.waitForURL('**/consent?request=*')
    expect(await page.content()).toContain(person.email)
  })

  test('is told what to do if they cancel, and can use the password', async () => {
    const { person, page, device } = await aHolder()
    await device.passesCheck(false)
    await page.goto('/sign-in')
    await usePasskey(page)
    await page.getByText('No passkey was used. Try again, or use your password.').waitFor()
    await signInByPassword(page, person)
  })

  test('has no use for it at another school, where the browser does not offer it', async () => {
    const { page } = await aHolder()
    const other = await aSchoolAtLocalhost(world)
    await page.goto(`${other.origin}/sign-in`)
    await usePasskey(page)
    await page.getByText('No passkey was used.').waitFor()
  })

  test('cannot make a second one on the same device, but on another, and tells them apart by name and last use', async () => {
    const { person, page, device } = await aHolder()
    await signInByPassword(page, person)
    await page.goto('/account/passkeys')
    // The password alone changes no passkeys of a person who has one.
    await page.getByText('your password is not enough').waitFor()
    await usePasskey(page)
    await page.waitForURL('**/account/passkeys')
    const make = () => page.getByRole('button', { name: 'Create a passkey' }).click()
    await make()
    await page.getByText('This device already has a passkey of yours').waitFor()
    await device.remove()
    await VirtualDevice.of(page)
    await page.reload()
    await make()
    await page.getByText('Your passkey is ready.').waitFor()
    const rows = page.locator('.rows li')
    expect(await rows.count()).toBe(2)
    const [first, second] = [rows.first(), rows.last()]
    await first.getByText('Rename').click()
    await first.getByLabel('Name').fill('Kitchen laptop')
    await first.getByRole('button', { name: 'Save name' }).click()
    await page.getByText('The name was changed.').waitFor()
    expect(await first.locator('bdi').textContent()).toBe('Kitchen laptop')
    expect(await second.textContent()).toContain('not used yet')
    await signOut(page)
    await page.goto('/sign-in')
    await usePasskey(page)
    await page.waitForURL('**/account')
    await page.goto('/account/passkeys')
    expect(await rows.filter({ hasText: 'last used' }).count()).toBe(2)
  })

  test('removes it, and the browser forgets it', async () => {
    const { page, device } = await aHolder()
    await page.goto('/sign-in')
    await usePasskey(page)
    await page.waitForURL('**/account')
    await page.goto('/account/passkeys')
    await page.getByRole('button', { name: /^Remove/ }).click()
    await page.getByText('It can no longer sign you in here.').waitFor()
    await expect.poll(() => device.credentials()).toEqual([])
  })
})

test('a passkey that was removed elsewhere is refused, and the browser forgets it', async () => {
  const { person, page, device } = await aHolder()
  await school.db.delete('passkeys').where('user_id', '=', person.id).execute()
  await page.goto('/sign-in')
  await usePasskey(page)
  await page.getByText('This passkey was not accepted').waitFor()
  expect(await violationsOf(page)).toEqual([])
  await expect.poll(() => device.credentials()).toEqual([])
})

test('a copy of a passkey is refused once the original was used', async () => {
  const { page, device } = await aHolder()
  const [copy] = await device.credentials()
  if (copy === undefined) throw new Error('no passkey')
  await page.goto('/sign-in')
  await usePasskey(page)
  await page.waitForURL('**/account')
  await signOut(page)
  await device.restore(copy)
  await page.goto('/sign-in')
  await usePasskey(page)
  await page.getByText('This passkey was not accepted').waitFor()
})

test('a browser that can makes one by itself after a password, on the page of the account', async () => {
  // The virtual device never answers a silent request, so it gets an ordinary one.
  const page = await aPage({
    script: `
      ${WITHOUT_AUTOFILL}
      PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: true })
      const create = navigator.credentials.create.bind(navigator.credentials)
      navigator.credentials.create = ({ mediation, ...options }) => {
        globalThis.mediationAsked = mediation
        return create(options)
      }`,
  })
  const device = await VirtualDevice.of(page)
  await page.goto('/sign-in')
  await signIn(page, await world.aMember(school))
  await page.waitForURL('**/account?done=passkey')
  expect(await page.getByRole('status').first().textContent()).toContain('Your passkey is ready.')
  expect(await device.credentials()).toHaveLength(1)
})

test('without scripts there is only the password, and the page about passkeys says why', async () => {
  const page = await aPage({ javaScriptEnabled: false })
  await page.goto('/sign-in')
  expect(await page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0)
  await signInByPassword(page, await world.aMember(school))
  await page.goto('/account/passkeys')
  expect(await page.getByText('This page cannot make one here').isVisible()).toBe(true)
  expect(await page.getByRole('button', { name: 'Create a passkey' }).count()).toBe(0)
})
