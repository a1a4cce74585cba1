import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { boundInSql } from '../../foundation/db/sql-values.ts'
import type { CalendarEvent } from '../../foundation/text/icalendar.ts'
import { plainText } from '../../foundation/text/plain-text.ts'
import { meetingPages, wholeSeconds } from './meetings-of-member.ts'

/** What a calendar gets: the nearest of what has begun since then. */
export const IN_CALENDAR = { most: 500, pastDays: 30 } as const

interface CalendarRow {
  readonly kind: 'booking' | 'event'
  readonly id: string
  readonly title: string
  readonly location: string
  readonly is_canceled: boolean
  readonly starts_at: Date
  readonly ends_at: Date
  readonly updated_at: Date
  readonly version: number
}

interface Asked {
  /** Of the school. */
  readonly origin: string
  readonly now: Date
  /** A meeting or an event alone, however long ago it was. */
  readonly id?: string | undefined
}

/**
 * The member's meetings and events for a calendar that others may run: without the address of a
 * room, and without other people.
 */
export async function calendarOf(
  db: SchoolDb,
  userId: string,
  { origin, now, id }: Asked,
): Promise<CalendarEvent[]> {
  const since =
    id === undefined ? wholeSeconds(now) - IN_CALENDAR.pastDays * 86_400 : Number.NEGATIVE_INFINITY
  const range = { limit: IN_CALENDAR.most, fromEnd: true }
  const { rows } = await db.run(sql<CalendarRow>`
    select * from (
      select 'booking' as kind, m.id, m.title, '' as location, m.state = 'canceled' as is_canceled,
        m.starts_at, m.ends_at, m.updated_at, m.version
      from (${meetingPages(db, userId, { id, startedAfter: since }, range)}) m
      union all
      select 'event', e.id, e.title, e.location, e.state = 'canceled',
        e.starts_at, e.ends_at, e.updated_at, e.version
      from event_registrations r join events e on e.school_id = r.school_id and e.id = r.event_id
      where r.school_id = ${db.schoolId} and r.user_id = ${userId} and r.state <> 'canceled'
        and e.starts_at >= ${boundInSql(since)} ${id === undefined ? sql`` : sql`and e.id = ${id}`}) c
    order by c.starts_at, c.id limit ${sql.lit(IN_CALENDAR.most)}`)
  return rows.map((row) => {
    const url = `${origin}/account/${row.kind}s`
    return {
      uid: `${row.kind}-${row.id}@${db.schoolId}`,
      title: plainText(row.title) || `A ${row.kind}`,
      location: plainText(row.location, 500) || url,
      url,
      isCanceled: row.is_canceled,
      startsAt: row.starts_at,
      endsAt: row.ends_at,
      changedAt: row.updated_at,
      sequence: row.version,
    }
  })
}
