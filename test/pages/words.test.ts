import { expect, test } from 'vitest'
import { samplePages } from '../support/sample-pages.ts'

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
  expect(openHour).toContain('6 Dec 2026, 18:00</time> (Asia/Taipei time)')
  expect(samplePages['event-to-register']).toContain('18:00</time> (Asia/Taipei time)')
  expect(samplePages['member-events']).toContain('18:00</time> (Asia/Taipei time)')
})

test('only the later pages of a list say what the first one has', () => {
  expect(samplePages['member-courses']).toContain('rel="next"')
  expect(samplePages['member-courses']).not.toContain('on the first page')
  expect(samplePages['history-older']).toContain('on the first page')
})

test('a signed-in person who is no member reads how to become one before registering', () => {
  expect(samplePages['event-for-members']).toContain('To become a member, write to')
})
