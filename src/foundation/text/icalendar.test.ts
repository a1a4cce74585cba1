import ICAL from 'ical.js'
import { describe, expect, test } from 'vitest'
import { type CalendarEvent, writeCalendar } from './icalendar.ts'

const event: CalendarEvent = {
  uid: 'booking-1@school',
  title: 'Office hour',
  location: 'Harbour Street 4',
  url: 'https://school.test/account/bookings',
  isCanceled: false,
  startsAt: new Date('2026-11-19T08:30:00Z'),
  endsAt: new Date('2026-11-19T09:15:00Z'),
  changedAt: new Date('2026-11-01T10:00:00.123Z'),
  sequence: 4,
}

const parsed = (text: string) =>
  new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent').map((one) => {
    const read = new ICAL.Event(one)
    return {
      uid: read.uid,
      title: read.summary,
      location: read.location,
      starts: read.startDate.toJSDate(),
      ends: read.endDate.toJSDate(),
      sequence: read.sequence,
      status: one.getFirstPropertyValue('status'),
      properties: one.getAllProperties().length,
    }
  })

describe('a calendar', () => {
  test('is read by a client as it was written', () => {
    const text = writeCalendar('Demo Academy', [event, { ...event, isCanceled: true }])
    const read = {
      ...{ uid: event.uid, title: event.title, location: event.location, sequence: 4 },
      ...{ starts: event.startsAt, ends: event.endsAt, properties: 10 },
    }
    expect(parsed(text)).toEqual([
      { ...read, status: 'CONFIRMED' },
      { ...read, status: 'CANCELLED' },
    ])
    expect(text).toContain('DTSTAMP:20261101T100000Z\r\n')
  })

  test('a title that is made to inject properties stays a title', () => {
    const titles = [
      'A\r\nATTENDEE:mailto:eve@evil.test',
      'A\nEND:VEVENT\nBEGIN:VEVENT',
      'A\rURL:https://evil.test',
      'A\\nB; C, D: "E" \\',
      'BEGIN:VALARM',
    ]
    const [calm] = parsed(writeCalendar('', [event]))
    for (const title of titles) {
      const lines = title.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
      const read = parsed(writeCalendar(title, [{ ...event, title, location: title }]))
      expect(read).toEqual([{ ...calm, title: lines, location: lines }])
    }
  })

  test('has no line beyond 75 octets, and no character that is cut', () => {
    for (const letter of ['a', 'é', '漢', '👩🏽‍🚀', '\\', ',']) {
      for (let shift = 0; shift < 5; shift++) {
        const title = 'x'.repeat(shift) + letter.repeat(120)
        const text = writeCalendar('', [{ ...event, title }])
        const lines = text.split('\r\n')
        expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75)
        expect(lines.join('')).not.toMatch(/[\r\n\ufffd]|\p{Cs}/u)
        expect(parsed(text)[0]?.title).toBe(title)
      }
    }
  })
})
