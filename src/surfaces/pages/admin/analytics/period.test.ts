import { expect, test } from 'vitest'
import { periodBefore, readPeriod, unfinishedStep } from './period.tsx'

const now = new Date('2026-11-14T20:00:00Z')
const read = (query: string, timeZone = 'UTC') =>
  readPeriod(new URLSearchParams(query), now, timeZone)

test('without a choice the period is the last 30 days, today included', () => {
  const period = { from: '2026-10-16', to: '2026-11-14', interval: 'day' }
  expect(read('')).toEqual({ kind: 'preset', name: '30-days', period })
  expect(read('last=for-ever')).toEqual(read(''))
})

test('today is the current day in the time zone of the school', () => {
  expect(read('', 'Asia/Taipei').period.to).toBe('2026-11-15')
  expect(read('', 'Nowhere/Land').period.to).toBe('2026-11-14')
})

test('weeks begin on a Monday and months on the first', () => {
  expect(read('last=12-weeks').period).toEqual({
    from: '2026-08-24',
    to: '2026-11-14',
    interval: 'week',
  })
  expect(read('last=12-months').period).toEqual({
    from: '2025-12-01',
    to: '2026-11-14',
    interval: 'month',
  })
})

test('days that an operator typed are used unchanged', () => {
  expect(read('from=2026-01-01&to=2026-02-01&interval=week')).toEqual({
    kind: 'custom',
    period: { from: '2026-01-01', to: '2026-02-01', interval: 'week' },
  })
  expect(read('from=then&interval=year').period).toEqual({ from: 'then', to: '', interval: 'day' })
})

test('the period before has the same number of days', () => {
  const before = periodBefore({ from: '2026-03-01', to: '2026-03-31', interval: 'day' })
  expect(before).toEqual({ from: '2026-01-29', to: '2026-02-28', interval: 'day' })
})

test('the step with today is not over yet, also inside a longer period', () => {
  const steps = ['2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16']
  expect(unfinishedStep(steps, { to: '2026-11-14' }, '2026-11-14')).toBe(2)
  expect(unfinishedStep(steps, { to: '2026-11-22' }, '2026-11-14')).toBe(2)
  expect(unfinishedStep(steps, { to: '2026-11-22' }, '2026-11-23')).toBeUndefined()
  expect(unfinishedStep(steps, { to: '2026-11-22' }, '2026-10-01')).toBeUndefined()
})
