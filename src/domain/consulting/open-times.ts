import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

/** Times to which a member may move a seat: the next ones, and no later than this. */
export const OPEN_TIMES = { most: 60, days: 28 } as const

/** Of these the ones with a free seat are looked for. */
const CANDIDATES = 300

export interface OpenTime {
  readonly slotId: string
  /** The day, in the time zone of the slot. */
  readonly on: string
  readonly startsAt: Date
  readonly endsAt: Date
  readonly title: string
  /** What takes place then already. */
  readonly meetingId: string | null
}

/**
 * The other times of the service of a meeting that have a free seat for this member and can still
 * be changed.
 */
export async function openTimesOf(
  db: SchoolDb,
  meeting: string,
  member: string,
): Promise<readonly OpenTime[]> {
  const { rows } = await db.run(sql<OpenTime>`
    select t.id as "slotId", t.day::text as on, t.starts_at as "startsAt",
      t.starts_at + make_interval(mins => t.duration_minutes) as "endsAt", t.title, taken.id as "meetingId"
    from (
      select t.id, t.service_id, t.duration_minutes, t.capacity, v.title, d.day, d.starts_at
      from consulting_meetings m
        join consulting_services v on v.school_id = m.school_id and v.id = m.service_id and v.state = 'offered'
        join consulting_slots t on t.school_id = v.school_id and t.service_id = v.id
        cross join generate_series(0, ${sql.lit(OPEN_TIMES.days)}) ahead
        cross join lateral (select (now() at time zone t.time_zone)::date + ahead as day) today
        cross join lateral (
          select today.day, (today.day + t.starts_at) at time zone t.time_zone as starts_at) d
      where m.school_id = ${db.schoolId} and m.id = ${meeting}
        and extract(isodow from d.day) = t.weekday and d.starts_at <> m.starts_at
        and d.starts_at - make_interval(hours => v.changes_until_hours) > now()
      order by d.starts_at, t.id limit ${sql.lit(CANDIDATES)}) t
      left join lateral (
        select m.id, s.* from consulting_meetings m cross join lateral (
            select count(*) as seats, bool_or(s.user_id = ${member}) as is_theirs
            from meeting_seats s where s.school_id = m.school_id and s.meeting_id = m.id) s
        where m.school_id = ${db.schoolId} and m.service_id = t.service_id
          and m.starts_at = t.starts_at and m.state <> 'canceled'
        order by m.id limit 1) taken on true
    where coalesce(taken.seats, 0) < t.capacity and taken.is_theirs is not true
    order by t.starts_at, t.id limit ${sql.lit(OPEN_TIMES.most)}`)
  return rows
}
