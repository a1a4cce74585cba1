import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { DemoClock } from '../../src/demo/demo-clock.ts'
import { demoSchools } from '../../src/demo/demo-schools.ts'

const FOLDER = new URL('../../assets/demo/', import.meta.url)

/** What has happened when the demo world is made. */
const HAPPENED = new Set([
  ...['created_at', 'published_at', 'archived_at', 'enrolled_at', 'revoked_at', 'granted_at'],
  ...['first_read_at', 'completed_at', 'updated_at', 'read_at', 'hidden_at', 'registered_at'],
  ...['canceled_at', 'paid_at', 'refunded_at', 'refund_requested_at', 'issued_at'],
  ...['started_at', 'current_period_starts_at', 'submitted_at', 'joined_at', 'signed_in_at'],
])

interface Time {
  readonly name: string
  readonly text: string
  readonly timeZone: string
}

function timesIn(value: unknown, timeZone: string, name = ''): Time[] {
  if (typeof value === 'string')
    return /^@/.test(value) ? [{ name, text: value.slice(1), timeZone }] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([member, one]) => timesIn(one, timeZone, member))
}

const times = demoSchools.flatMap(({ subdomain, time_zone }) => {
  const folder = new URL(`${subdomain}/`, FOLDER)
  return readdirSync(folder).flatMap((file) =>
    readFileSync(new URL(file, folder), 'utf8')
      .trimEnd()
      .split('\n')
      .flatMap((line) => timesIn(JSON.parse(line), time_zone)),
  )
})

describe.each([
  '2026-05-06T00:00:00Z',
  '2026-05-06T23:59:59Z',
  '2026-12-31T23:59:59.999Z',
  '2028-02-29T09:00:00Z',
  // The clocks in Vienna change.
  '2026-03-29T00:59:00Z',
  '2026-10-25T01:30:00Z',
])('made at %s', (moment) => {
  const now = new Date(moment)
  const clock = new DemoClock(now)

  test('every time can be read, and what has happened is over', () => {
    expect(times.length).toBeGreaterThan(3000)
    const early = times.filter(
      ({ name, text, timeZone }) => clock.read(text, timeZone) > now && HAPPENED.has(name),
    )
    expect(early).toEqual([])
  })
})
