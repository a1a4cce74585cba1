import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { smtpMailer } from '../../src/foundation/mail/mailer.ts'
import { createDiskStore } from '../../src/foundation/storage/disk-store.ts'
import { queryOf } from '../support/authorization.ts'
import { aBrowserSchool, signIn } from '../support/browser-school.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { finishJobs } from '../support/jobs.ts'
import { aMailBox, untilSent } from '../support/mail-box.ts'
import { aWorld } from '../support/world.ts'

const mailBox = await aMailBox()
const folder = await mkdtemp(join(tmpdir(), 'schoolgate-files-'))
whenFileIsDone(() => rm(folder, { recursive: true }))
const world = await aWorld({
  mailer: smtpMailer(mailBox.url, 'Schools <no-reply@schools.test>'),
  files: createDiskStore(folder),
})
const { school, violationsAt, ...atSchool } = await aBrowserSchool(world)

/** With scripts off: every step must work without them. */
const aPage = () => atSchool.aPage({ javaScriptEnabled: false })

async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsAt(page), page.url()).toEqual([])
}

const press = (page: Page, name: string) => page.getByRole('button', { name }).click()

async function linkTo(email: string, words = 'link='): Promise<string> {
  const { html = '' } = await mailBox.take(email, words)
  const link = /href="([^"]*link=[^"]*)"/.exec(html)?.[1]
  if (link === undefined) throw new Error(`no link in ${html}`)
  return link.replaceAll('&amp;', '&')
}

test('an owner lets people sign up; a visitor makes an account, is a student, and goes on to the app that waits', async () => {
  const owner = await world.aMember(school, ['owner'])
  const admin = await aPage()
  await admin.goto('/admin/settings')
  expect(await admin.getByRole('link', { name: 'Make an account' }).count()).toBe(0)
  await signIn(admin, owner)
  await admin.getByLabel('Let people sign up as students').check()
  await press(admin, 'Save sign-up')
  expect(await admin.getByRole('status').textContent()).toContain('Sign-up is on')

  const page = await aPage()
  const client = await world.aPublicClient(school)
  await page.goto(`/oauth/authorize?${queryOf({ school, client })}`)
  await page.getByRole('link', { name: 'Make an account' }).click()
  await expectAccessible(page)
  await page.getByLabel('Your name').fill('Grace Example')
  await page.getByLabel('Email address').fill('grace@people.test')
  await press(page, 'Send link')
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  await page.goto(await linkTo('grace@people.test'))
  await expectAccessible(page)
  expect(await page.getByLabel('Your name').inputValue()).toBe('Grace Example')
  await page.getByLabel('Password').fill('short')
  await press(page, 'Make account')
  expect(await page.locator('#new_password-error').textContent()).toContain('Use at least 15')
  await page.getByLabel('Password').fill('nine lanterns and a crow')
  await press(page, 'Make account')
  await page.getByRole('heading', { name: 'wants to use your account' }).waitFor()
  await page.goto('/account')
  await page.getByRole('heading', { name: 'Hello, Grace Example' }).waitFor()
  await page.getByRole('link', { name: 'Find a course' }).waitFor()
})

test('a member changes the email address with both mailboxes, and undoes it from the old one', async () => {
  const ada = await world.aMember(school)
  const page = await aPage()
  await page.goto('/account/settings')
  await signIn(page, ada)
  await page.getByRole('link', { name: 'Change email address' }).click()
  await page.getByLabel('New email address').fill('ada.next@people.test')
  await press(page, 'Send links')
  expect(await page.getByRole('status').textContent()).toContain('both addresses')
  expect(await page.getByText('Waiting', { exact: true }).count()).toBe(2)
  await page.goto(await linkTo(ada.email))
  await expectAccessible(page)
  await press(page, 'Agree')
  await page.getByRole('heading', { name: 'One mailbox to go' }).waitFor()
  await page.goto('/account/email')
  expect(await page.getByText('Agreed', { exact: true }).count()).toBe(1)
  await page.goto(await linkTo('ada.next@people.test'))
  await press(page, 'Use this address')
  await page.getByRole('heading', { name: 'is changed' }).waitFor()
  await page.goto('/account')
  expect(await page.locator('.email').textContent()).toBe('ada.next@people.test')

  const owner = await aPage()
  await owner.goto(await linkTo(ada.email, 'Undo'))
  await expectAccessible(owner)
  await press(owner, 'Undo the change')
  await owner.getByRole('heading', { name: 'is undone' }).waitFor()
  await page.goto('/account')
  expect(new URL(page.url()).pathname).toBe('/sign-in')
  await mailBox.take(ada.email, '/reset-password?token=')
})

test('an owner adds a student, corrects the name, and sees the invitation sent, opened and accepted; an import invites in a job', async () => {
  const email = 'invited@people.test'
  const admin = await aPage()
  await admin.goto('/admin/settings')
  await signIn(admin, await world.aMember(school, ['owner']))
  await admin.getByLabel('Invite people whom you add').check()
  await press(admin, 'Save invitations')
  await admin.getByRole('status').first().waitFor()
  await admin.goto('/admin/students/new')
  await admin.getByLabel('Email').fill(email)
  await admin.getByLabel('Name').fill('Ivnited Person')
  await press(admin, 'Add a student')
  await admin.getByRole('link', { name: 'Correct name' }).waitFor()
  const student = admin.url()
  const facts = () => admin.locator('main dt').allTextContents()
  expect(await facts()).toContain('Invited')
  expect(await facts()).not.toContain('Invitation opened')

  await admin.getByRole('link', { name: 'Correct name' }).click()
  await admin.getByRole('textbox', { name: 'Name' }).fill('Invited Person')
  await press(admin, 'Correct name')
  await admin.getByRole('heading', { name: 'Invited Person' }).waitFor()
  await admin.getByRole('link', { name: 'Send invitation again' }).click()
  await press(admin, 'Send invitation again')
  await admin.getByText('was invited less than 60 minutes ago').waitFor()

  const page = await aPage()
  await page.goto(await linkTo(email))
  await expectAccessible(page)
  expect(await page.getByLabel('Your name').inputValue()).toBe('Invited Person')
  await admin.goto(student)
  expect(await facts()).toContain('Invitation opened')
  expect(await facts()).not.toContain('First signed in')
  await page.getByLabel('Password').fill('nine lanterns and a crow')
  await press(page, 'Accept invitation')
  await page.getByRole('heading', { name: 'Hello, Invited Person' }).waitFor()
  await admin.goto(student)
  expect(await facts()).toContain('First signed in')
  expect(await admin.getByRole('link', { name: 'Send invitation' }).count()).toBe(0)

  await admin.goto('/admin/jobs/import')
  await admin.getByLabel('What the rows are').selectOption('students')
  await admin.getByLabel('Choose a file').setInputFiles({
    name: 'students.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('email,name\nimported@people.test,Imported Person\n'),
  })
  await press(admin, 'Check the file')
  await finishJobs(world)
  await admin.reload()
  await press(admin, 'Import 1 row')
  await finishJobs(world)
  await untilSent(world)
  await admin.goto('/admin/jobs')
  await admin.getByRole('link', { name: 'Invite imported people' }).waitFor()
  await page.goto(await linkTo('imported@people.test'))
  expect(await page.getByLabel('Your name').inputValue()).toBe('Imported Person')
})
