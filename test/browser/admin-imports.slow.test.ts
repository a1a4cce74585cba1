import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createDiskStore } from '../../src/foundation/storage/disk-store.ts'
import { aBrowserSchool, anOwnerWhoClicks } from '../support/browser-school.ts'
import { whenFileIsDone } from '../support/clean-up.ts'
import { finishJobs } from '../support/jobs.ts'
import { aWorld } from '../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-admin-imports-'))
whenFileIsDone(() => rm(folder, { recursive: true }))
const world = await aWorld({ files: createDiskStore(folder) })
const atSchool = await aBrowserSchool(world)
const { violationsAt } = atSchool

const menuItem = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name, exact: true })

test('an owner imports 500 students in five clicks', async () => {
  const rows = Array.from({ length: 500 }, (_, n) => `learner${n}@import.test;Learner ${n};${n}`)
  const file = ['E-mail;Full name;Shoe size', ...rows].join('\n')
  const { page, click, clicks } = await anOwnerWhoClicks(world, atSchool)
  await click(menuItem(page, 'Students'))
  await click(page.getByRole('link', { name: 'Import', exact: true }))
  expect(await violationsAt(page, '/admin/jobs/import?resource=students')).toEqual([])
  // To choose the file is a click, too.
  const choosing = page.waitForEvent('filechooser')
  await click(page.getByLabel('Choose a file'))
  const bytes = { name: 'students.csv', mimeType: 'text/csv', buffer: Buffer.from(file) }
  await (await choosing).setFiles(bytes)
  await click(page.getByRole('button', { name: 'Check the file' }))
  await finishJobs(world)
  await page.reload()
  await page.getByText('The file has 500 rows. All of them can be imported.').waitFor()
  expect(await violationsAt(page)).toEqual([])
  await click(page.getByRole('button', { name: 'Import 500 rows' }))
  await finishJobs(world)
  await page.reload()
  await page.getByText('Created: 500').waitFor()
  expect(clicks()).toBe(5)
  await page.goto('/admin/students')
  await page.getByText('500 in all').waitFor()
})

test('an owner makes a course of two sections and four lectures in ten clicks', async () => {
  const { page, click, clicks } = await anOwnerWhoClicks(world, atSchool)
  await click(menuItem(page, 'Courses'))
  await click(page.getByRole('link', { name: 'New course' }).first())
  await page.getByLabel('Title', { exact: true }).fill('Ink drawing')
  await click(page.getByRole('button', { name: 'Create course' }))
  await click(page.getByRole('link', { name: 'Curriculum' }))
  for (const section of ['Lines', 'Washes']) {
    await page.getByLabel('Title of a new section').fill(section)
    await click(page.getByRole('button', { name: 'Add section' }))
    const part = page.getByRole('region', { name: section })
    for (const lecture of ['First', 'Second']) {
      await part.getByLabel('Title of a new lecture').fill(`${lecture} of ${section}`)
      await click(part.getByRole('button', { name: 'Add lecture' }))
      await part.getByRole('link', { name: `${lecture} of ${section}`, exact: true }).waitFor()
    }
  }
  expect(clicks()).toBe(10)
  expect(await violationsAt(page)).toEqual([])
})

test('an owner ticks two courses and publishes them, finds one by the search, and looks at a draft', async () => {
  const { page, click } = await anOwnerWhoClicks(world, atSchool)
  for (const title of ['Etching', 'Engraving', 'Linocut']) {
    await page.goto('/admin/courses/new')
    await page.getByLabel('Title', { exact: true }).fill(title)
    await page.getByRole('button', { name: 'Create course' }).click()
    await page.getByRole('heading', { name: title }).first().waitFor()
  }
  await click(menuItem(page, 'Courses'))
  expect(await violationsAt(page)).toEqual([])
  await page.getByLabel('Select Etching').check()
  await page.getByLabel('Select Engraving').check()
  await page.getByLabel('With the selected rows', { exact: true }).selectOption('publish')
  await click(page.getByRole('button', { name: 'Continue' }))
  await page.getByRole('heading', { name: 'Publish: 2 courses' }).waitFor()
  await click(page.getByRole('button', { name: 'Publish' }))
  await page.getByText('Done with all selected rows.').waitFor()
  await page.getByLabel('Search people, orders, courses and content').fill('linocut')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Search', exact: true }).waitFor()
  expect(await violationsAt(page, '/admin/search?q=linocut')).toEqual([])
  await click(page.getByRole('link', { name: 'Linocut' }))
  await click(page.getByRole('link', { name: 'Preview' }))
  await page.getByText('This is a preview.').waitFor()
})
