import { expect, test } from 'vitest'
import { placeOf } from './moment.tsx'

test.each([
  ['Asia/Taipei', 'Taipei'],
  ['America/New_York', 'New York'],
  ['America/North_Dakota/Center', 'Center, North Dakota'],
  ['Etc/UTC', 'UTC'],
  ['UTC', 'UTC'],
  ['Etc/GMT+8', 'Etc/GMT+8'],
])('the clock of %s is called %s time', (timeZone, place) => {
  expect(placeOf(timeZone)).toBe(place)
})
