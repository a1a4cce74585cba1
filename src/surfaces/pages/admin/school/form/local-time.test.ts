import { describe, expect, test } from 'vitest'
import { fromLocalTime, toLocalTime } from './local-time.ts'

const utc = (typed: string, timeZone: string) => fromLocalTime(typed, timeZone)?.toISOString()

describe('a time that somebody typed', () => {
  test('is meant on the clocks of the school', () => {
    expect(utc('2027-01-31T09:00', 'UTC')).toBe('2027-01-31T09:00:00.000Z')
    expect(utc('2027-01-31T09:00', 'Asia/Taipei')).toBe('2027-01-31T01:00:00.000Z')
    expect(utc('2027-07-31T09:00', 'America/New_York')).toBe('2027-07-31T13:00:00.000Z')
    expect(utc('2027-01-31 09:00', 'Asia/Kolkata')).toBe('2027-01-31T03:30:00.000Z')
  })

  test('may carry seconds, as browsers send them back', () => {
    expect(utc('2027-01-31T09:00:30.000', 'UTC')).toBe('2027-01-31T09:00:00.000Z')
  })

  test('that the clocks show twice is the earlier one', () => {
    expect(utc('2026-11-01T01:30', 'America/New_York')).toBe('2026-11-01T05:30:00.000Z')
  })

  test('that the clocks skip is the one an hour later', () => {
    expect(utc('2027-03-14T02:30', 'America/New_York')).toBe('2027-03-14T07:30:00.000Z')
  })

  test('that is none is none', () => {
    for (const typed of ['', 'tomorrow', '2027-02-30T09:00', '2027-13-01T09:00', '2027-01-31']) {
      expect(utc(typed, 'UTC')).toBeUndefined()
    }
  })

  test('reads as it was typed, all around the clock changes', () => {
    for (const timeZone of ['America/New_York', 'Asia/Taipei', 'Australia/Lord_Howe']) {
      for (const typed of ['2026-11-01T00:59', '2027-03-14T03:00', '2027-04-04T12:00']) {
        const moment = fromLocalTime(typed, timeZone)
        expect(moment && toLocalTime(moment, timeZone)).toBe(typed)
      }
    }
  })

  test('at a place that nobody knows is in UTC', () => {
    expect(utc('2027-01-31T09:00', 'Mars/Olympus')).toBe('2027-01-31T09:00:00.000Z')
  })
})
