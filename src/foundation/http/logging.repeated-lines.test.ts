import { expect, test } from 'vitest'
import { RepeatedLines } from './logging.ts'

test('of each kind a few lines are written in a window, and the next one says how many were left out', () => {
  let now = 0
  const lines = new RepeatedLines(2, 10, () => now)
  const admitted = Array.from({ length: 100 }, () => lines.admit('the same'))
  expect(admitted.filter((line) => line !== undefined)).toEqual([{}, {}])
  expect(lines.admit('another')).toEqual({})
  now = 10_000
  expect(lines.admit('the same')).toEqual({ leftOut: 98 })
  now = 20_000
  expect(lines.admit('the same')).toEqual({})
})
