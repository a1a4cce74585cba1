import { expect, test } from 'vitest'
import { samplePages } from '../support/sample-pages.ts'

/** Pages of members and visitors. */
const ownPages = Object.entries(samplePages).filter(([name]) => !name.startsWith('admin'))

function rowsOf(page: string): readonly string[] {
  return [...(samplePages[page] ?? '').matchAll(/<li>(.*?)<\/li>/gs)].map(([, row = '']) => row)
}

test('badges begin with a capital letter on every page', () => {
  const small = Object.entries(samplePages).flatMap(([name, html]) =>
    [...html.matchAll(/<span class="badge [^"]*">([^<]*)/g)]
      .filter(([, words = '']) => /^\p{Ll}/u.test(words))
      .map(([, words]) => `${name}: ${words}`),
  )
  expect(small).toEqual([])
})

test('the time of an online event names its time zone, for readers in other ones', () => {
  const [openDay, openHour] = rowsOf('public-events').filter((row) => row.includes('/events/'))
  expect(openDay).toContain('5 Dec 2026, 18:00</time></p>')
  expect(openHour).toContain('6 Dec 2026, 18:00</time> (Taipei time)')
  expect(samplePages['event-to-register']).toContain('18:00</time> (Taipei time)')
  expect(samplePages['member-events']).toContain('02:00</time> (Taipei time)')
})

test('only the later pages of a list say what the first one has', () => {
  expect(samplePages['member-courses']).toContain('rel="next"')
  expect(samplePages['member-courses']).not.toContain('on the first page')
  expect(samplePages['history-older']).toContain('on the first page')
})

test('a signed-in person who is no member reads how to become one before registering', () => {
  expect(samplePages['event-for-members']).toContain('To become a member, write to')
})

test('a page that asks for a passkey alone says what it needs where no button can be shown', () => {
  const needs = 'it needs scripts, a secure address (https) and a recent browser.'
  for (const page of ['passkeys-none', 'confirm-passkey-alone', 'confirm-by-factor'])
    expect(samplePages[page], page).toContain(needs)
  expect(samplePages['confirm-passkey']).not.toContain(needs)
})

/**
 * The parts that stand beside each other in a row: elements, and texts between them. Badges are
 * apart on purpose.
 */
function partsOf(html: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  for (const [piece] of html.matchAll(/<[^<>]+>|[^<]+/g)) {
    if (piece.startsWith('</')) depth -= 1
    else if (depth === 0 && piece.trim() !== '') parts.push(piece)
    if (/^<[a-z]/.test(piece) && !piece.endsWith('/>')) depth += 1
  }
  return parts.filter((part) => !/^<span class="(badge|visually-hidden)/.test(part))
}

test('the words of a link that looks like a button are one part, so that the spaces between them stay', () => {
  const split = ownPages.flatMap(([name, html]) =>
    [...html.matchAll(/<a class="button [^>]*>(.*?)<\/a>/gs)]
      .filter(([, words = '']) => partsOf(words).length > 1)
      .map(([, words]) => `${name}: ${words}`),
  )
  expect(split).toEqual([])
})

test('the title of a row is one part, so that it wraps as a sentence', () => {
  const split = ownPages.flatMap(([name, html]) =>
    [...html.matchAll(/<p class="row-title">(.*?)<\/p>/gs)]
      .filter(([, title = '']) => partsOf(title).length > 1)
      .map(([, title]) => `${name}: ${title}`),
  )
  expect(split).toEqual([])
})

test('pages on which something went wrong have the next step as their first button', () => {
  const first = (page: string) =>
    /class="button button-primary" href="([^"]+)"/.exec(samplePages[page] ?? '')?.[1]
  expect(first('factor-due')).toBe('/account/settings')
  expect(first('email-change-taken')).toBe('/account/email')
  expect(first('email-change-expired')).toBe('/account/email')
})

test('a course with completed lectures is continued, not started, on its own page and in the list', () => {
  for (const page of ['course-of-mine', 'member-courses'])
    expect(samplePages[page], page).toMatch(/<a class="button button-primary"[^>]*>Continue/)
})

test('the page of a course, an event or a writing leads back to the list that it is in', () => {
  const back = (page: string) =>
    / href="([^"]+)"[^>]*><svg class="icon arrow"/.exec(samplePages[page] ?? '')?.[1]
  expect([back('course'), back('course-of-mine')]).toEqual(['/courses', '/account/courses'])
  expect([back('event'), back('event-registered')]).toEqual(['/events', '/account/events'])
  expect(back('post')).toBe('/posts')
})
