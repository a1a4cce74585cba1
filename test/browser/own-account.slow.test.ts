import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createDiskStore } from '../../src/foundation/storage/disk-store.ts'
import { purgeOnce } from '../../src/start/purge-rows.ts'
import { violationsOf } from '../support/accessibility.ts'
import { aBrowserSchool, type PageOptions } from '../support/browser-school.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { finishJobs } from '../support/jobs.ts'
import { aPng } from '../support/pictures.ts'
import { aWorld, PASSWORD, type TestPerson } from '../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-files-'))
whenFileIsDone(() => rm(folder, { recursive: true }))
const world = await aWorld({ files: createDiskStore(folder) })
const { school, ...atSchool } = await aBrowserSchool(world)

/** A page of the person, at this path. */
async function aPageOf(person: TestPerson, path: string, options?: PageOptions): Promise<Page> {
  const page = await atSchool.aPageOf(person, path, options)
  await page.waitForURL(`**${path}`)
  return page
}

test('a person changes name and picture and sees both, with scripts off', async () => {
  const ada = await world.aMember(school)
  const page = await aPageOf(ada, '/account/settings', { javaScriptEnabled: false })
  await page.getByRole('link', { name: 'Change name or picture' }).click()
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await page.getByRole('button', { name: 'Save name' }).click()
  expect(await page.getByRole('status').textContent()).toContain('Your name was changed')
  await page.getByLabel('Choose another picture').setInputFiles({
    name: 'me.png',
    mimeType: 'image/png',
    buffer: aPng(64),
  })
  const loaded = page.waitForResponse((response) => response.url().includes('/pictures/'))
  await page.getByRole('button', { name: 'Upload' }).click()
  expect((await loaded).status()).toBe(200)
  expect(await page.getByRole('status').textContent()).toContain('Your picture was changed')
  await page.goto('/account')
  expect(await page.locator('.app-head').textContent()).toContain('Ada Lovelace')
  await page.goto('/account/profile')
  await page.getByRole('button', { name: 'Remove picture' }).click()
  expect(await page.getByRole('status').textContent()).toContain('Your picture was removed')
  expect(await page.locator('.avatar img').count()).toBe(0)

  await page.goto('/account/password')
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByLabel('New password').fill('nine lanterns and a crow')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Your password was changed').waitFor()
})

test('the browser draws a picture that was cleaned, and the page breaks no accessibility rule', async () => {
  const ada = await world.aMember(school)
  const page = await aPageOf(ada, '/account/profile')
  await page.setInputFiles('#picture', {
    name: 'me.png',
    mimeType: 'image/png',
    buffer: aPng(64),
  })
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByRole('status').waitFor()
  const drawn = 'document.querySelector("main .avatar img").naturalWidth'
  await page.waitForFunction(`${drawn} > 0`)
  expect(await page.evaluate<number>(drawn)).toBe(64)
  expect(await violationsOf(page)).toEqual([])
})

test('a person asks for a copy of their data and reads it, with scripts off', async () => {
  const ada = await world.aMember(school)
  const page = await aPageOf(ada, '/account/settings', { javaScriptEnabled: false })
  await page.getByRole('link', { name: 'Get a copy' }).click()
  await page.getByRole('button', { name: 'Make a copy' }).click()
  expect(await page.getByRole('status').textContent()).toContain('Your copy is being made')
  await finishJobs(world)
  await page.getByRole('link', { name: 'Look again' }).click()
  const downloaded = async (name: string) => {
    const link = page.getByRole('link', { name })
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    return download
  }
  const json = await downloaded('Download as JSON')
  expect(json.suggestedFilename()).toBe(`${school.subdomain}-my-data.json`)
  expect(await readFile(await json.path(), 'utf8')).toContain(ada.email)
  const download = await downloaded('Download to read')
  expect(download.suggestedFilename()).toBe(`${school.subdomain}-my-data.html`)
  // As the person opens it: from the disk.
  const file = join(folder, 'my-data.html')
  await download.saveAs(file)
  await page.goto(`file://${file}`)
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('holds about you')
  expect(await page.getByRole('cell', { name: ada.email }).count()).toBe(1)
})

test('the page about a copy breaks no accessibility rule', async () => {
  const page = await aPageOf(await world.aMember(school), '/account/data')
  expect(await violationsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Make a copy' }).click()
  await page.getByRole('status').waitFor()
  expect(await violationsOf(page)).toEqual([])
})

test('a person asks to be deleted, sees it on the account page and changes their mind, with scripts off', async () => {
  const ada = await world.aMember(school)
  const page = await aPageOf(ada, '/account/settings', { javaScriptEnabled: false })
  await page.getByRole('link', { name: 'Delete your account' }).click()
  await page.getByText('Orders, payments and invoices stay').waitFor()
  await page.getByLabel('Type your email address to confirm').fill(ada.email)
  await page.getByRole('button', { name: 'Delete my whole account' }).click()
  await page.getByText('Your whole account will be deleted').waitFor()
  await page.getByRole('button', { name: 'Keep my account' }).click()
  expect(await page.getByRole('status').first().textContent()).toContain('Nothing will be deleted')
  expect(await page.getByText('Your whole account will be deleted').count()).toBe(0)
})

test('a person leaves the school for good, and the pages on the way break no accessibility rule', async () => {
  const ada = await world.aMember(school)
  const page = await aPageOf(ada, '/account/delete')
  expect(await violationsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Delete my data at this school' }).click()
  await page.getByText('This school will forget you').waitFor()
  expect(await violationsOf(page)).toEqual([])
  await world.database.pool.query(
    "update deletion_requests set due_at = now() - interval '1 minute'",
  )
  await purgeOnce(world.database.db, { auditRetentionDays: 365 })
  await page.goto('/account')
  expect(new URL(page.url()).pathname).toBe('/sign-in')
})
