import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

/** An event as anybody may see it: its online address is for those who registered. */
export interface UpcomingEvent {
  readonly slug: string
  readonly title: string
  readonly startsAt: Date
  readonly location: string
}

/** What the school announces to everybody, the next one first. */
export async function upcomingEvents(
  at: SchoolDb,
  limit: number,
): Promise<readonly UpcomingEvent[]> {
  const rows = await at
    .from('events')
    .select(['slug', 'title', 'starts_at', 'location'])
    .where('state', '=', 'published')
    .where('starts_at', '>', sql<Date>`now()`)
    .orderBy('starts_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    slug: row.slug,
    title: row.title,
    startsAt: row.starts_at,
    location: row.location,
  }))
}
