import { describe, expect, test } from 'vitest'
import { Keyring } from '../foundation/crypto/seal.ts'
import { gatherDemoRows } from './demo-world.ts'

const keyring = new Keyring('a secret that seals nothing but tests')

/** Everything but times, which are Dates or written in a text, and keys, which are made anew. */
function timeless(now: string): ReadonlyMap<string, readonly unknown[]> {
  const rows = gatherDemoRows({ now: new Date(now), port: 3000, keyring, passwordHash: 'hash' })
  const kept = new Map<string, readonly unknown[]>()
  for (const [table, list] of rows.tables()) {
    const drawn = table === 'signing_keys'
    kept.set(
      table,
      list.map((row) =>
        drawn
          ? {}
          : Object.entries(row)
              .filter((entry) => !isTime(entry))
              .map(withoutWrittenTime),
      ),
    )
  }
  return kept
}

/** As in the notification of a removed class: Tuesday, May 12, 2026 at 6:00 PM. */
const WRITTEN_TIME = /\w+day, \w+ \d+, \d{4} at \d+:\d\d\s[AP]M/g

function withoutWrittenTime([column, value]: [string, unknown]): [string, unknown] {
  return [column, typeof value === 'string' ? value.replaceAll(WRITTEN_TIME, 'then') : value]
}

function isTime([column, value]: [string, unknown]): boolean {
  return value instanceof Date || column === 'day'
}

describe('the demo world is the same whenever it is made', () => {
  const reference = timeless('2026-05-06T13:47:12Z')
  test.each([
    ['on the same day at midnight', '2026-05-06T00:00:00Z'],
    ['in the last second of a year', '2026-12-31T23:59:59.999Z'],
    ['on a leap day', '2028-02-29T09:00:00Z'],
    ['on the day summer time starts in Vienna', '2026-03-29T00:59:00Z'],
    ['on the day summer time ends in Vienna', '2026-10-25T01:30:00Z'],
  ])('%s', (_, now) => {
    expect(timeless(now)).toEqual(reference)
  })
})

test.each(['2026-05-06T00:00:00Z', '2026-05-06T23:59:59Z', '2026-03-29T01:00:00Z'])(
  'what is unpaid, past or to come is so when made at %s',
  (at) => {
    const now = new Date(at)
    const rows = gatherDemoRows({ now, port: 3000, keyring, passwordHash: 'hash' })
    const tables = new Map<string, readonly object[]>(rows.tables())
    for (const row of tables.get('payments') ?? []) {
      const { created_at, paid_at } = row as { created_at: Date; paid_at: Date | null }
      expect(created_at.getTime()).toBeLessThanOrEqual(now.getTime())
      expect(paid_at?.getTime() ?? 0).toBeLessThanOrEqual(now.getTime())
    }
    for (const row of tables.get('notifications') ?? []) {
      const { created_at, read_at } = row as { created_at: Date; read_at: Date | null }
      expect(created_at.getTime()).toBeLessThanOrEqual(now.getTime())
      expect(read_at?.getTime() ?? 0).toBeLessThanOrEqual(now.getTime())
    }
    for (const row of tables.get('lecture_progress') ?? []) {
      const { first_read_at } = row as { first_read_at: Date }
      expect(first_read_at.getTime()).toBeLessThanOrEqual(now.getTime())
    }
  },
)

test('no statement comes near the 65,535 parameters of the wire protocol', () => {
  const now = new Date('2026-05-06T13:47:12Z')
  const rows = gatherDemoRows({ now, port: 3000, keyring, passwordHash: 'hash' })
  for (const [, list] of rows.tables()) {
    const columns = Math.max(0, ...list.map((row) => Object.keys(row).length))
    expect(columns).toBeLessThan(60)
  }
})
