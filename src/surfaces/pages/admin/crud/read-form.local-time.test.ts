import { describe, expect, test } from 'vitest'
import { fromLocalTime, toLocalTime } from './read-form.ts'

const utc = (typed: string, timeZone: string) => fromLocalTime(typed, timeZone)?.toISOString()

describe('a time that an operator types', () => {
  test('is in the time zone of the school', () => {
    expect(utc('2027-01-31T09:00', 'UTC')).toBe('2027-01-31T09:00:00.000Z')
    expect(utc('2027-01-31T09:00', 'Asia/Taipei')).toBe('2027-01-31T01:00:00.000Z')
    expect(utc('2027-07-31T09:00', 'America/New_York')).toBe('2027-07-31T13:00:00.000Z')
    expect(utc('2027-01-31 09:00', 'Asia/Kolkata')).toBe('2027-01-31T03:30:00.000Z')
  })

  test('may have seconds, which some browsers send', () => {
    expect(utc('2027-01-31T09:00:30.000', 'UTC')).toBe('2027-01-31T09:00:00.000Z')
  })

  test('is the earlier one if the clocks show it twice', () => {
    expect(utc('2026-11-01T01:30', 'America/New_York')).toBe('2026-11-01T05:30:00.000Z')
  })

  test('is one hour later if the clocks skip it', () => {
    expect(utc('2027-03-14T02:30', 'America/New_York')).toBe('2027-03-14T07:30:00.000Z')
  })

  test('is undefined if the text is not a time', () => {
    for (const typed of ['', 'tomorrow', '2027-02-30T09:00', '2027-13-01T09:00', '2027-01-31']) {
      expect(utc(typed, 'UTC')).toBeUndefined()
    }
  })

  test('is shown as it was typed, also around clock changes', () => {
    for (const timeZone of ['America/New_York', 'Asia/Taipei', 'Australia/Lord_Howe']) {
      for (const typed of ['2026-11-01T00:59', '2027-03-14T03:00', '2027-04-04T12:00']) {
        const moment = fromLocalTime(typed, timeZone)
        expect(moment && toLocalTime(moment, timeZone)).toBe(typed)
      }
    }
  })

  test('is in UTC if the time zone is unknown', () => {
    expect(utc('2027-01-31T09:00', 'Mars/Olympus')).toBe('2027-01-31T09:00:00.000Z')
  })
})
