import { expect, test } from 'vitest'
import { parseTime } from './database.ts'

test.each([
  ['2026-11-16 05:22:11+00', '2026-11-16T05:22:11.000Z'],
  ['2026-11-16 05:22:11.5+00', '2026-11-16T05:22:11.500Z'],
  ['2026-11-16 05:22:11.123999+00', '2026-11-16T05:22:11.123Z'],
  ['0050-01-02 03:04:05+00', '0050-01-02T03:04:05.000Z'],
  ['12026-01-02 03:04:05+00', '+012026-01-02T03:04:05.000Z'],
  ['0044-03-15 12:00:00+00 BC', '-000043-03-15T12:00:00.000Z'],
  ['2026-11-16 05:22:11+05:30', '2026-11-15T23:52:11.000Z'],
])('the time %s is read as %s', (text, iso) => {
  expect(parseTime(text).toISOString()).toBe(iso)
})

test('a time without end stays a number', () => {
  expect(parseTime('infinity')).toBe(Number.POSITIVE_INFINITY)
})
