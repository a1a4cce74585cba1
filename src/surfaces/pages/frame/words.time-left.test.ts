import { expect, test } from 'vitest'
import { dueIn } from './words.ts'

const now = new Date('2027-01-01T00:00:00Z')

test.each([
  [30, 'in less than a minute'],
  [60, 'in 1 minute'],
  [119 * 60, 'in 119 minutes'],
  [24 * 3600 - 1, 'in 23 hours'],
  [72 * 3600, 'in 3 days'],
])('%i seconds are %s', (seconds, words) => {
  expect(dueIn(new Date(now.getTime() + seconds * 1000), now)).toBe(words)
})
