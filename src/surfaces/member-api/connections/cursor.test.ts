import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeCursor, parseCursor } from './cursor.ts'

const key = { at: new Date('2026-02-03T04:05:06.789Z'), id: '0190c0de-0000-7000-8000-00000000abcd' }

test('a cursor comes back as the place it was made of, to the millisecond', () => {
  fc.assert(
    fc.property(
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2300-01-01') }),
      fc.uuid(),
      (at, id) => {
        expect(parseCursor('payments', 'after', encodeCursor('payments', { at, id }))).toEqual({
          at,
          id,
        })
      },
    ),
  )
})

test('times before 1970 have places too', () => {
  const early = { ...key, at: new Date(-1) }
  expect(parseCursor('a', 'after', encodeCursor('a', early))).toEqual(early)
})

test('a cursor of another list is refused', () => {
  const cursor = encodeCursor('payments', key)
  expect(() => parseCursor('notifications', 'after', cursor)).toThrow(/not a cursor of notific/)
})

test('a cursor with one character changed, added or taken away is refused', () => {
  const cursor = encodeCursor('payments', key)
  for (let i = 0; i < cursor.length; i++) {
    const other = cursor[i] === 'A' ? 'B' : 'A'
    const changed = cursor.slice(0, i) + other + cursor.slice(i + 1)
    expect(() => parseCursor('payments', 'before', changed)).toThrow(/before is not a cursor/)
  }
  for (const wrong of ['', ' ', `${cursor}A`, `${cursor}=`, cursor.slice(1), 'null', '0']) {
    expect(() => parseCursor('payments', 'before', wrong)).toThrow()
  }
})
