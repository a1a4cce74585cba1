import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { renderMissing } from '../../src/domain/content/rendered-texts.ts'
import { violationsOf } from '../support/accessibility.ts'
import { launchBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { aCourse, anEnrollment } from '../support/learning.ts'
import { aWorld, PASSWORD, type TestSchool } from '../support/world.ts'

const world = await aWorld()
let browser: Browser
let school: TestSchool

beforeAll(async () => {
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = world.app.server.address() as AddressInfo
  const made = await world.aSchool()
  const origin = `http://${made.subdomain}.localhost:${port}`
  await world.database.pool.query(
    "update schools set origin = $2, video_hosts = '{films.example}' where id = $1",
    [made.id, origin],
  )
  world.context.directory.forget()
  school = { ...made, origin }
  browser = await launchBrowser()
})

afterAll(() => browser?.close())

/** Two minutes of silence: browsers play sound in the same player as a film. */
function silence(): Buffer {
  const [rate, seconds] = [8000, 120]
  const header = Buffer.alloc(44)
  header.write('RIFF')
  header.writeUInt32LE(36 + rate * seconds, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(rate * seconds, 40)
  return Buffer.concat([header, Buffer.alloc(rate * seconds, 0x80)])
}

/**
 * Answers with the part that the player asks for: it cannot jump in a file of which it gets no
 * parts.
 */
async function sendPart(route: Route): Promise<void> {
  const film = silence()
  const range = (await route.request().allHeaders()).range ?? 'bytes=0-'
  const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? []
  const [start, end] = [Number(from), to === '' ? film.length - 1 : Number(to)]
  await route.fulfill({
    status: 206,
    contentType: 'audio/wav',
    headers: {
      'accept-ranges': 'bytes',
      'content-range': `bytes ${start}-${end}/${film.length}`,
    },
    body: film.subarray(start, end + 1),
  })
}

/** A member on the page of the one lecture of their course. */
async function aStudentIn(lecture: object, options: BrowserContextOptions = {}) {
  const ada = await world.aMember(school)
  const course = await aCourse(school, [[{ title: 'First strokes' }]])
  const id = course.lectures[0]?.[0] ?? ''
  await school.db.update('lectures').set(lecture).where('id', '=', id).execute()
  await renderMissing(world.database.db)
  await anEnrollment(school, ada, course)
  const context = await browser.newContext({ baseURL: school.origin, ...options })
  onTestFinished(() => context.close())
  await context.route('https://films.example/**', sendPart)
  const page = await context.newPage()
  const refused: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text())
  })
  await page.goto('/sign-in')
  await page.fill('#email', ada.email)
  await page.fill('#password', PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/account')
  const path = `/courses/${course.slug}/lectures/${id}`
  await page.goto(path)
  const kept = async () => {
    const rows = await school.db
      .from('lecture_progress')
      .select('position_seconds')
      .where('user_id', '=', ada.id)
      .execute()
    return rows[0]?.position_seconds
  }
  return { page, path, kept, refused }
}

/** `waitForFunction` repeats texts by eval, which the policy of the page refuses. */
const until = (page: Page, holds: string) =>
  vi.waitFor(async () => expect(await page.evaluate(holds), holds).toBe(true), eventually)

/** Moves in the page, and waits until the page, which listens for longer, has noticed it. */
const moveTo = (page: Page, move: string, [target, event]: readonly [string, string]) =>
  page.evaluate(`new Promise((noticed) => {
    ${target}.addEventListener('${event}', () => noticed(), { once: true })
    ${move}
  })`)

const SCROLL = ['window', 'scroll'] as const

test('a film goes on where the member left it, and the policy of the page lets the report through', async () => {
  const film = { kind: 'video', video_url: 'https://films.example/one.mp4' }
  const { page, path, kept, refused } = await aStudentIn(film)
  await until(page, 'document.querySelector("video").readyState > 0')
  const video = 'document.querySelector("video")'
  await moveTo(page, `${video}.currentTime = 75`, [video, 'timeupdate'])
  await page.goto('/account')
  await vi.waitFor(async () => expect(await kept()).toBe(75), eventually)
  await page.goto(path)
  await page.getByText('Goes on at 1:15, where you stopped.').waitFor()
  await until(page, 'document.querySelector("video").currentTime === 75')
  expect(refused).toEqual([])
  expect(await violationsOf(page)).toEqual([])
})

test('a long text offers to go on where the member stopped reading; its end is its beginning', async () => {
  const parts = Array.from({ length: 200 }, (_, n) => `Paragraph ${n} of a long text.`)
  const { page, path, kept } = await aStudentIn({ body: parts.join('\n\n') })
  const offer = page.getByRole('button', { name: 'Go on where you stopped' })
  expect(await offer.isVisible()).toBe(false)
  const paragraph = 'document.querySelectorAll(".prose p, .as-written p")[120]'
  await moveTo(page, `${paragraph}.scrollIntoView({ block: 'center' })`, SCROLL)
  await page.goto('/account')
  await vi.waitFor(async () => expect(await kept()).toBeGreaterThan(10), eventually)
  await page.goto(path)
  expect(await page.evaluate<number>('scrollY')).toBe(0)
  await offer.click()
  await until(page, 'scrollY > innerHeight')
  expect(await page.evaluate<string>('document.activeElement.textContent')).toMatch(
    /^Paragraph (?:9|10|11|12)\d of/,
  )
  await moveTo(page, 'scrollTo(0, document.body.scrollHeight)', SCROLL)
  await page.goto('/account')
  await vi.waitFor(async () => expect(await kept()).toBe(0), eventually)
})

test('without scripts a lecture is read and completed as well', async () => {
  const film = { kind: 'video', video_url: 'https://films.example/one.mp4' }
  const { page } = await aStudentIn(film, { javaScriptEnabled: false })
  await page.getByRole('button', { name: 'Mark as completed' }).click()
  await page.getByText('You have completed every lecture of this course.').waitFor()
})
