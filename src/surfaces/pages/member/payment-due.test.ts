import { expect, test } from 'vitest'
import { remaining } from './payment-due.tsx'

const now = new Date('2026-11-17T12:00:00Z')

test.each([
  ['2026-11-20T12:00:00Z', '3 days left'],
  ['2026-11-19T11:59:00Z', '1 day left'],
  ['2026-11-18T11:59:00Z', '23 hours left'],
  ['2026-11-17T13:00:00Z', '1 hour left'],
  ['2026-11-17T12:59:00Z', 'less than an hour left'],
  ['2026-11-17T12:00:00Z', 'too late'],
])('until %s there are %s', (until, words) => {
  expect(remaining(new Date(until), now)).toBe(words)
})
