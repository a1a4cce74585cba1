import { expect, test } from 'vitest'
import { aPayment } from '../support/billing.ts'
import { aBrowserSchool, anOwnerWhoClicks } from '../support/browser-school.ts'
import { aPair, userinfo } from '../support/client-like.ts'
import { aCourse } from '../support/learning.ts'
import { aWorld } from '../support/world.ts'

const world = await aWorld()
const atSchool = await aBrowserSchool(world)
const { school, violationsAt } = atSchool

test('an owner answers a refund in two clicks', async () => {
  const ada = await world.aMember(school)
  await aPayment(school, ada, { refund: { state: 'requested' } })
  const { page, click, clicks } = await anOwnerWhoClicks(world, atSchool)
  expect(await violationsAt(page, '/admin')).toEqual([])
  await click(page.getByRole('link', { name: `Approve the refund of ${ada.name}` }))
  await click(page.getByRole('button', { name: 'Approve refund' }))
  await page.getByText('The refund is recorded, and the member is told.').waitFor()
  expect(clicks()).toBe(2)
  await page.goto('/admin')
  await page.getByText('Nothing is waiting for you.').waitFor()
})

test('an owner adds and enrolls a student in four clicks', async () => {
  await aCourse(school, [[{ title: 'First strokes' }]], { title: 'Ink drawing' })
  const { page, click, clicks } = await anOwnerWhoClicks(world, atSchool)
  await click(page.getByRole('link', { name: 'Add a student' }))
  await page.getByLabel('Email').fill('mei@people.test')
  await page.getByLabel('Name').fill('Mei Tanaka')
  await click(page.getByRole('button', { name: 'Add a student' }))
  await click(page.getByRole('link', { name: 'Enroll' }))
  await page.getByLabel('Course', { exact: true }).selectOption({ label: 'Ink drawing' })
  await click(page.getByRole('button', { name: /Enroll/ }))
  await page.getByRole('heading', { name: 'Mei Tanaka, Ink drawing' }).waitFor()
  expect(clicks()).toBe(4)
})

test('an owner sees what an app does and stops it in three clicks', async () => {
  const client = await world.aPublicClient(school, { name: 'Study Planner' })
  const pair = await aPair(world, school, client, await world.aMember(school))
  expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
  const { page, click, clicks } = await anOwnerWhoClicks(world, atSchool)
  await click(page.getByRole('link', { name: 'Apps and assistants' }))
  await page.getByText('Made by your school · For 1 member').first().waitFor()
  for (const path of ['/admin/clients', '/admin/clients/stop-all']) {
    expect(await violationsAt(page, path), path).toEqual([])
  }
  await click(page.getByRole('link', { name: 'Switch off… Study Planner' }))
  await click(page.getByRole('button', { name: 'Switch off' }))
  await page.getByText('Switched off.').first().waitFor()
  expect(clicks()).toBe(3)
  expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
})
