import { expect, test } from 'vitest'
import { durationParts, fromSeconds, toSeconds, typedDuration } from './read-form.ts'

test.each([
  [0, '0:0:0'],
  [540, '0:9:0'],
  [3930, '1:5:30'],
  [360_000, '100:0:0'],
])('%d seconds are %s, and back', (seconds, text) => {
  expect(fromSeconds(seconds)).toBe(text)
  expect(toSeconds(text)).toBe(seconds)
})

test('an empty part counts as zero, and more than 59 minutes are hours', () => {
  expect(toSeconds('1::')).toBe(3600)
  expect(toSeconds(':90:')).toBe(5400)
})

test.each(['long', '1:2:3:4', '-1:0:0', '1.5:0:0'])('%s is no length', (text) => {
  expect(toSeconds(text)).toBeUndefined()
})

test('the three fields become one text, and a number alone is in seconds', () => {
  const form = new URLSearchParams({ 'length-hours': '1', 'length-seconds': '5' })
  expect(typedDuration(form, 'length')).toEqual(['1::5'])
  expect(typedDuration(new URLSearchParams({ length: '540' }), 'length')).toEqual(['540'])
  expect(typedDuration(new URLSearchParams({ 'length-hours': '' }), 'length')).toEqual([])
  expect(durationParts('540')).toEqual(['0', '9', '0'])
  expect(durationParts('1::5')).toEqual(['1', '', '5'])
})
