import { expect, test } from 'vitest'
import { violationsOf } from '../support/accessibility.ts'
import { aBrowserSchool, signIn, typePassword } from '../support/browser-school.ts'
import { ageProof } from '../support/old-proof.ts'
import { VirtualDevice } from '../support/virtual-device.ts'
import { aWorld, PASSWORD, type TestPerson } from '../support/world.ts'

const world = await aWorld()
const { school, aPage } = await aBrowserSchool(world, { mcpConnections: true })

const endSessions = ({ id }: TestPerson) =>
  world.database.pool.query('delete from browser_sessions where user_id = $1', [id])

/** Begins with an empty line, which a text area would drop. */
const TEXT = `\nThe first line\n\n${'One more line of a long evening.\n'.repeat(600)}The last line  `

test('an admin writes a long text, is signed out meanwhile, signs in, finds all of it in the form and sends it, with scripts off', async () => {
  const admin = await world.aMember(school, ['admin'])
  const page = await aPage({ javaScriptEnabled: false })
  await page.goto('/admin/courses/new')
  await signIn(page, admin)
  await page.getByLabel('Title').fill('Ink drawing')
  await page.getByLabel('Description').fill(TEXT)
  await endSessions(admin)
  await page.getByRole('button', { name: 'Create course' }).click()
  await page.getByText('You were signed out').waitFor()
  await typePassword(page, admin, 'a wrong password')
  await page.waitForURL('**/sign-in')
  await typePassword(page, admin)
  await page.getByRole('heading', { name: 'Nothing was lost' }).waitFor()
  expect(await page.getByLabel('Description').inputValue()).toBe(TEXT)
  await page.getByRole('button', { name: 'Look at the form first' }).click()
  expect(await page.getByLabel('Title').inputValue()).toBe('Ink drawing')
  expect(await page.getByLabel('Description').inputValue()).toBe(TEXT)
  await page.getByRole('button', { name: 'Create course' }).click()
  await page.getByRole('heading', { name: 'Ink drawing' }).first().waitFor()
  const [course] = await school.db.from('courses').select('description').execute()
  expect(course?.description).toBe(TEXT)
})

test('an owner renews a secret eleven minutes after signing in: the page asks, and goes on', async () => {
  const owner = await world.aMember(school, ['owner'])
  const { clientId } = await world.aConfidentialClient(school)
  const page = await aPage()
  await page.goto(`/admin/developers/applications/${clientId}`)
  await signIn(page, owner)
  await ageProof(world, owner)
  await page.getByRole('link', { name: /^Renew/ }).click()
  await page.getByRole('button', { name: /^Renew/ }).click()
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
  expect(await violationsOf(page)).toEqual([])
  await page.fill('#password', 'a wrong password')
  await page.getByRole('button', { name: 'Continue' }).click()
  expect(await page.locator('#password-error').textContent()).toBe('This is not your password.')
  await page.fill('#password', PASSWORD)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Nothing was lost' }).waitFor()
  expect(await violationsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Send it now' }).click()
  expect(await page.locator('.secret').textContent()).toMatch(/^sg_cs_/)
})

test('an owner confirms with a passkey, and cancels once before', async () => {
  const owner = await world.aMember(school, ['owner'])
  const { clientId } = await world.aConfidentialClient(school)
  const page = await aPage()
  const device = await VirtualDevice.of(page)
  await page.goto('/account/passkeys')
  await signIn(page, owner)
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await page.getByText('Your passkey is ready.').waitFor()
  await page.goto(`/admin/developers/applications/${clientId}`)
  await ageProof(world, owner)
  await page.getByRole('link', { name: /^Renew/ }).click()
  await page.getByRole('button', { name: /^Renew/ }).click()
  expect(await violationsOf(page)).toEqual([])
  await device.passesCheck(false)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByText('No passkey was used.').waitFor()
  await device.passesCheck(true)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('heading', { name: 'Nothing was lost' }).waitFor()
  await page.getByRole('button', { name: 'Send it now' }).click()
  expect(await page.locator('.secret').textContent()).toMatch(/^sg_cs_/)
})

test('an owner drops what was sent, and nothing is done', async () => {
  const owner = await world.aMember(school, ['owner'])
  const { clientId } = await world.aConfidentialClient(school, { name: 'Planner' })
  const page = await aPage({ javaScriptEnabled: false })
  const path = `/admin/developers/applications/${clientId}`
  await page.goto(`${path}/delete`)
  await signIn(page, owner)
  await ageProof(world, owner)
  await page.getByLabel('Type the name to confirm').fill('Planner')
  await page.getByRole('button', { name: /^Delete/ }).click()
  await page.fill('#password', PASSWORD)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('link', { name: 'Discard it' }).click()
  await page.waitForURL(`**${path}`)
  const [client] = await school.db
    .from('clients')
    .select('deleted_at')
    .where('client_id', '=', clientId)
    .execute()
  expect(client?.deleted_at).toBeNull()
})
