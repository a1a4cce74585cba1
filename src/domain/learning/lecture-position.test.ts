import { expect, test } from 'vitest'
import { positionIn, readingSeconds } from './lecture-position.ts'

test.each([
  ['0', 0],
  ['760', 760],
  ['1000000', 1_000_000],
])('%s is a position', (text, seconds) => {
  expect(positionIn(text)).toBe(seconds)
})

test.each([
  ...['', ' ', '-1', '+1', '1.5', '1e3', '0x10', 'Infinity', 'NaN', '１２', '1000001', '99999999'],
  '9'.repeat(400),
])('%j is no position', (text) => {
  expect(positionIn(text)).toBeUndefined()
})

test('a text takes as long as the school says, or as its length', () => {
  expect(readingSeconds(600, 'short')).toBe(600)
  expect(readingSeconds(0, 'x'.repeat(1500))).toBe(100)
  expect(readingSeconds(0, '')).toBe(0)
})
