import { expect, test } from 'vitest'
import { DemoClock } from './demo-clock.ts'

const clock = new DemoClock(new Date('2026-05-06T13:47:12Z'))

test('days and hours are round and on the right side of now', () => {
  expect(clock.read('-1d 23:30')).toEqual(new Date('2026-05-05T23:30:00Z'))
  expect(clock.read('+1d 00:15')).toEqual(new Date('2026-05-07T00:15:00Z'))
  expect(clock.read('-2d')).toEqual(new Date('2026-05-04T09:00:00Z'))
  expect(clock.read('0h')).toEqual(new Date('2026-05-06T13:00:00Z'))
  expect(clock.read('-30h')).toEqual(new Date('2026-05-05T07:00:00Z'))
})

test('week 0 of an appointment is the next to start, week -1 the last that has', () => {
  const before = new DemoClock(new Date('2026-05-06T16:29:59Z'))
  expect(before.read('week 0 wed 18:30', 'Europe/Vienna')).toEqual(new Date('2026-05-06T16:30:00Z'))
  const after = new DemoClock(new Date('2026-05-06T16:30:00Z'))
  expect(after.read('week 0 wed 18:30', 'Europe/Vienna')).toEqual(new Date('2026-05-13T16:30:00Z'))
  expect(after.read('week -1 wed 18:30', 'Europe/Vienna')).toEqual(new Date('2026-05-06T16:30:00Z'))
})

test('an appointment ends after it starts, also while it takes place', () => {
  const during = new DemoClock(new Date('2026-05-06T17:00:00Z'))
  const end = during.read('week -1 wed 18:30 +60m', 'Europe/Vienna')
  expect(end).toEqual(new Date('2026-05-06T17:30:00Z'))
})

test('an appointment keeps its wall-clock time across the change to summer time', () => {
  const march = new DemoClock(new Date('2026-03-23T00:00:00Z'))
  expect(march.read('week 0 wed 18:30', 'Europe/Vienna')).toEqual(new Date('2026-03-25T17:30:00Z'))
  expect(march.read('week +1 wed 18:30', 'Europe/Vienna')).toEqual(new Date('2026-04-01T16:30:00Z'))
})

test('an appointment far from Greenwich falls on its own weekday', () => {
  const start = clock.read('week 0 mon 20:00', 'Pacific/Honolulu')
  expect(start).toEqual(new Date('2026-05-12T06:00:00Z'))
})

test.each(['yesterday', '-3d 5:00', 'week 1 thursday 10:00', 'week 1 abc 10:00', '+60m', '-2h 10'])(
  '%s is refused',
  (text) => {
    expect(() => clock.read(text)).toThrow(text)
  },
)
