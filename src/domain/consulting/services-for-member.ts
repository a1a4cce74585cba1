import { type RawBuilder, sql } from 'kysely'
import {
  atMost,
  groupRows,
  inRange,
  type Keyed,
  type KeysetRange,
  newestFirst,
  rangeOrder,
} from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { IS_LISTED } from '../people/member-resource.ts'
import type { MeetingState } from './meetings-of-member.ts'

/** A service that is offered to a member because of one of their courses. */
export interface OfferedService extends Keyed {
  readonly id: string
  readonly title: string
  readonly description: string
}

/**
 * The service is offered now, for one of the member's courses: the list that `enrolledCoursesOf`
 * gives.
 */
function offeredTo(db: SchoolDb, userId: string): RawBuilder<boolean> {
  return sql<boolean>`
    s.school_id = ${db.schoolId} and s.state = 'offered' and exists (
      select from consulting_service_courses o
        join enrollments e on e.school_id = o.school_id and e.course_id = o.course_id
      where o.school_id = s.school_id and o.service_id = s.id and e.user_id = ${userId}
        and ${IS_LISTED})`
}

export async function servicesFor(
  db: SchoolDb,
  userId: string,
  range: KeysetRange,
): Promise<OfferedService[]> {
  const { rows } = await db.run(
    sql<{ id: string; title: string; description: string; created_at: Date }>`
    select s.id, s.title, s.description, s.created_at
    from consulting_services s
    where ${offeredTo(db, userId)} and ${inRange('s.created_at', 's.id', range)}
    ${rangeOrder('s.created_at', 's.id', range)}`,
  )
  const services = rows.map(({ created_at, ...service }) => ({
    key: { at: created_at, id: service.id },
    ...service,
  }))
  return newestFirst(services, range)
}

export async function countServicesFor(db: SchoolDb, userId: string): Promise<number> {
  const { rows } = await db.run(sql<{ total: number }>`
    select count(*) as total from consulting_services s where ${offeredTo(db, userId)}`)
  return rows[0]?.total ?? 0
}

/** Time that a service offers every week. */
export interface WeeklySlot {
  readonly weekday: number
  readonly startsAt: string
  readonly durationMinutes: number
  readonly timeZone: string
  readonly capacity: number
}

/** A meeting with a reserved seat, without the name of the member. */
export interface ReservedMeeting {
  readonly startedAt: Date
  readonly endedAt: Date
  readonly state: MeetingState
}

/** A calendar needs only recent and upcoming meetings; years of old ones would make it slow. */
export const RESERVED_PER_SERVICE = 200

/** Several hundred times a week for each of a hundred services. */
const MOST_SLOTS = 50_000

export async function slotsOfServices(
  db: SchoolDb,
  serviceIds: readonly string[],
): Promise<Map<string, WeeklySlot[]>> {
  const { rows } = await db.run(sql<WeeklySlot & { serviceId: string }>`
    select service_id as "serviceId", weekday, to_char(starts_at, 'HH24:MI') as "startsAt",
      duration_minutes as "durationMinutes", time_zone as "timeZone", capacity
    from consulting_slots
    where school_id = ${db.schoolId} and service_id = any(${serviceIds}::uuid[])
    order by service_id, weekday, starts_at, id
    limit ${sql.lit(MOST_SLOTS + 1)}`)
  return groupRows(atMost(rows, MOST_SLOTS), ({ serviceId }) => serviceId)
}

/**
 * The reservations of all members for these services, newest start first, the latest 200 of each.
 */
export async function reservedMeetingsOf(
  db: SchoolDb,
  serviceIds: readonly string[],
): Promise<Map<string, ReservedMeeting[]>> {
  const { rows } = await db.run(sql<ReservedMeeting & { serviceId: string }>`
    select service.id as "serviceId", m.starts_at as "startedAt", m.ends_at as "endedAt", m.state
    from unnest(${serviceIds}::uuid[]) as service (id)
      cross join lateral (
        select starts_at, ends_at, state, id from consulting_meetings
        where school_id = ${db.schoolId} and service_id = service.id and exists (
          select from meeting_seats s
          where s.school_id = consulting_meetings.school_id and s.meeting_id = consulting_meetings.id)
        order by starts_at desc, id desc
        limit ${RESERVED_PER_SERVICE}) m
    order by service.id, m.starts_at desc, m.id desc`)
  return groupRows(rows, ({ serviceId }) => serviceId)
}
