import { expect, test } from 'vitest'
import { formatPriceEach } from './words.ts'

test('a plan costs its price for each interval, and a free one costs nothing', () => {
  expect(formatPriceEach(1200, 'USD', 'month')).toBe('$12.00 a month')
  expect(formatPriceEach(0, 'USD', 'month')).toBe('Free')
})
