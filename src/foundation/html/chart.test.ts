import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fewOf, topOf } from './chart.tsx'

describe('topOf', () => {
  test.each([
    [0, 2],
    [1, 2],
    [3, 4],
    [5, 6],
    [7, 8],
    [10, 10],
    [11, 12],
    [59, 60],
    [61, 80],
    [1_234_567, 1_600_000],
  ])('%i fits below %i', (greatest, top) => expect(topOf(greatest)).toBe(top))

  test('every value fits, fills at least half of the scale, and half of the scale is an integer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 1e12 }), (greatest) => {
        const top = topOf(greatest)
        expect(top).toBeGreaterThanOrEqual(greatest)
        expect(top).toBeLessThanOrEqual(greatest * 2)
        expect(Number.isInteger(top / 2)).toBe(true)
      }),
    )
  })
})

test('fewOf takes the ends and the middle', () => {
  expect(fewOf([])).toEqual([])
  expect(fewOf([1, 2])).toEqual([1, 2])
  expect(fewOf([1, 2, 3, 4])).toEqual([1, 2, 4])
  expect(fewOf([1, 2, 3, 4, 5])).toEqual([1, 3, 5])
})
