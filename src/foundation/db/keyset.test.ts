import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../crypto/digest.ts'
import { encodeCursor, parseCursor } from './keyset.ts'

const id = '0190c0de-0000-7000-8000-00000000abcd'
const place = { value: new Date('2026-02-03T04:05:06.789Z'), id }

describe('a cursor', () => {
  test('gives back a time to the millisecond, a text and a number', () => {
    const time = fc.date({ noInvalidDate: true, min: new Date(-1), max: new Date('2300-01-01') })
    const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'))
    fc.assert(
      fc.property(time, text, fc.maxSafeInteger(), fc.uuid(), (at, title, price, row) => {
        for (const [type, value] of [
          ['time', at],
          ['text', title],
          ['number', price],
        ] as const) {
          const cursor = encodeCursor('courses', { value, id: row })
          expect(parseCursor('courses', type, cursor)).toEqual({ value, id: row })
        }
      }),
    )
  })

  test('of another list is refused', () => {
    expect(parseCursor('notifications', 'time', encodeCursor('payments', place))).toBeUndefined()
  })

  test('with one character changed, added or taken away is refused', () => {
    const cursor = encodeCursor('payments', place)
    const changed = Array.from(cursor, (character, index) => {
      const other = character === 'A' ? 'B' : 'A'
      return cursor.slice(0, index) + other + cursor.slice(index + 1)
    })
    const others = ['', ' ', `${cursor}A`, `${cursor}=`, cursor.slice(1), 'null', '0', '[1]']
    for (const wrong of [...changed, ...others]) {
      expect(parseCursor('payments', 'time', wrong), wrong).toBeUndefined()
    }
  })

  test.each([
    ['time', '-62135596800001'],
    ['time', '253402300800000'],
    ['time', '2026-02-03'],
    ['number', '9007199254740992'],
    ['number', '1e3'],
    ['text', 'a\0b'],
  ] as const)(
    'forged with the %s %j, which PostgreSQL would not take, is refused',
    (type, value) => {
      const bytes = Buffer.concat([Buffer.alloc(16), Buffer.from(value)])
      const check = sha256(`payments ${bytes.toString('hex')}`).subarray(0, 4)
      const cursor = Buffer.concat([check, bytes]).toString('base64url')
      expect(parseCursor('payments', 'text', cursor) === undefined).toBe(value.includes('\0'))
      expect(parseCursor('payments', type, cursor)).toBeUndefined()
    },
  )
})
