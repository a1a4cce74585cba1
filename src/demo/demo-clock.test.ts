import { expect, test } from 'vitest'
import { DemoClock } from './demo-clock.ts'

const vienna = { weekday: 3, time: '18:30', timeZone: 'Europe/Vienna' }

test('days and hours are round and on the right side of now', () => {
  const clock = new DemoClock(new Date('2026-05-06T13:47:12Z'))
  expect(clock.at(-1, '23:30')).toEqual(new Date('2026-05-05T23:30:00Z'))
  expect(clock.at(1, '00:15')).toEqual(new Date('2026-05-07T00:15:00Z'))
  expect(clock.hours(0)).toEqual(new Date('2026-05-06T13:00:00Z'))
  expect(clock.day(-6)).toBe('2026-04-30')
})

test('week 0 of a slot is the next to start, week -1 the last that has', () => {
  const before = new DemoClock(new Date('2026-05-06T16:29:59Z'))
  expect(before.occurrence(vienna, 0)).toEqual(new Date('2026-05-06T16:30:00Z'))
  const after = new DemoClock(new Date('2026-05-06T16:30:00Z'))
  expect(after.occurrence(vienna, 0)).toEqual(new Date('2026-05-13T16:30:00Z'))
  expect(after.occurrence(vienna, -1)).toEqual(new Date('2026-05-06T16:30:00Z'))
})

test('a slot keeps its wall-clock time across the change to summer time', () => {
  const clock = new DemoClock(new Date('2026-03-23T00:00:00Z'))
  expect(clock.occurrence(vienna, 0)).toEqual(new Date('2026-03-25T17:30:00Z'))
  expect(clock.occurrence(vienna, 1)).toEqual(new Date('2026-04-01T16:30:00Z'))
})

test('a slot far from Greenwich falls on its own weekday', () => {
  const honolulu = { weekday: 1, time: '20:00', timeZone: 'Pacific/Honolulu' }
  const clock = new DemoClock(new Date('2026-05-06T13:47:12Z'))
  expect(clock.occurrence(honolulu, 0)).toEqual(new Date('2026-05-12T06:00:00Z'))
})
