import { expect, test } from 'vitest'
import { momentInFilm } from './words.ts'

test.each([
  [0, '0:00'],
  [59, '0:59'],
  [760, '12:40'],
  [3600, '1:00:00'],
  [3725, '1:02:05'],
  [360_000, '100:00:00'],
])('%i seconds are shown as %s', (seconds, shown) => {
  expect(momentInFilm(seconds)).toBe(shown)
})
