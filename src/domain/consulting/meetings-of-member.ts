import { type RawBuilder, sql } from 'kysely'
import {
  inRange,
  type Keyed,
  type KeysetRange,
  newestFirst,
  rangeOrder,
  withKeys,
} from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { boundInSql } from '../../foundation/db/sql-values.ts'
import { shownPeople } from '../actor/shown-person.ts'

export const MEETING_STATES = ['available', 'scheduled', 'canceled'] as const
export type MeetingState = (typeof MEETING_STATES)[number]

export const MEETING_KINDS = ['consulting', 'study_group'] as const
export type MeetingKind = (typeof MEETING_KINDS)[number]

/** A meeting of a member: they hold a seat, or it is a class of their group. */
export interface MemberMeeting extends Keyed {
  readonly id: string
  readonly title: string
  readonly kind: MeetingKind
  readonly state: MeetingState
  readonly startedAt: Date
  readonly endedAt: Date
  readonly roomUrl: string
}

export interface MeetingFilter {
  /** This meeting alone. */
  readonly id?: string | undefined
  /** Unix seconds, inclusive. */
  readonly startedAfter?: number | undefined
  /** Unix seconds, exclusive. */
  readonly startedBefore?: number | undefined
  /** Unix seconds, inclusive. */
  readonly endedAfter?: number | undefined
  /** Unix seconds, exclusive. */
  readonly endedBefore?: number | undefined
  /** Any of these states; an empty list matches no meeting. */
  readonly states?: readonly MeetingState[] | undefined
}

/**
 * The two sources of a member's meetings: seats and study groups. They never overlap, because a
 * class has no seats. Each uses its own index; one condition with `or` would read all meetings of
 * the school.
 */
function sources(db: SchoolDb, userId: string): readonly RawBuilder<unknown>[] {
  return [seatsOf(db, userId), classesOf(db, userId)]
}

const seatsOf = (db: SchoolDb, userId: string) => sql`
  from meeting_seats mine join consulting_meetings m
    on m.school_id = mine.school_id and m.id = mine.meeting_id
  where mine.school_id = ${db.schoolId} and mine.user_id = ${userId}`

const classesOf = (db: SchoolDb, userId: string) => sql`
  from study_group_members mine join consulting_meetings m
    on m.school_id = mine.school_id and m.study_group_id = mine.group_id
  where mine.school_id = ${db.schoolId} and mine.user_id = ${userId}`

function matches(
  { id, startedAfter, startedBefore, endedAfter, endedBefore, states }: MeetingFilter,
  start = 'm.starts_at',
): RawBuilder<boolean> {
  return sql<boolean>`
    ${isWithin(start, startedAfter, startedBefore)}
    and ${isWithin('m.ends_at', endedAfter, endedBefore)}
    and m.state = any(${distinct(states ?? MEETING_STATES)}::text[])
    ${id === undefined ? sql`` : sql`and m.id = ${id}`}`
}

const isWithin = (time: string, after = -Infinity, before = Infinity): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(time)} >= ${boundInSql(after)} and ${sql.ref(time)} < ${boundInSql(before)}`

/** Removes repeated states: PostgreSQL would compare each of them with every row. */
function distinct(states: readonly MeetingState[]): MeetingState[] {
  return [...new Set(states)]
}

/**
 * A page of each source, in the order of its index: a member may have thousands of meetings. Seats
 * have the time of their meeting; those that do not yet, from before an update, are sorted.
 */
export function meetingPages(
  db: SchoolDb,
  userId: string,
  filter: MeetingFilter,
  range: KeysetRange,
): RawBuilder<unknown> {
  const [time, id] = ['mine.starts_at', 'mine.meeting_id']
  const page = sql`${inRange('m.starts_at', 'm.id', range)} ${rangeOrder('m.starts_at', 'm.id', range)}`
  return sql`
    (select m.* ${seatsOf(db, userId)} and ${matches(filter, time)}
       and ${inRange(time, id, range)} ${rangeOrder(time, id, range)})
    union all
    (select m.* ${seatsOf(db, userId)} and mine.starts_at is null and ${matches(filter)} and ${page})
    union all
    (select m.* from study_group_members mine cross join lateral (
       select m.* from consulting_meetings m
       where m.school_id = ${db.schoolId} and m.study_group_id = mine.group_id and ${matches(filter)} and ${page}) m
     where mine.school_id = ${db.schoolId} and mine.user_id = ${userId})`
}

/**
 * The member's meetings, newest start first. The room is hidden once a meeting is over or canceled.
 */
export async function meetingsOf(
  db: SchoolDb,
  userId: string,
  filter: MeetingFilter,
  range: KeysetRange,
): Promise<MemberMeeting[]> {
  const { rows } = await db.run(sql<Omit<MemberMeeting, 'key'>>`
    select m.id, m.title, m.state, m.starts_at as "startedAt", m.ends_at as "endedAt",
      case when m.study_group_id is null then 'consulting' else 'study_group' end as kind,
      case when m.state = 'canceled' or m.ends_at <= now() then '' else m.room_url end as "roomUrl"
    from (${meetingPages(db, userId, filter, range)}) m
    ${rangeOrder('m.starts_at', 'm.id', range)}`)
  return newestFirst(withKeys(rows, 'startedAt'), range)
}

export async function countMeetingsOf(
  db: SchoolDb,
  userId: string,
  filter: MeetingFilter,
): Promise<number> {
  const [seats, classes] = sources(db, userId).map(
    (source) => sql`(select count(*) ${source} and ${matches(filter)})`,
  )
  const { rows } = await db.run(sql<{ total: number }>`select ${seats} + ${classes} as total`)
  return rows[0]?.total ?? 0
}

/** How long before its start the room of a meeting opens on the pages of a member. */
export const ROOM_OPENS_MINUTES = 15

/** Until when a member may change their seat in meeting `m` of service `v`; null for never. */
export const CHANGES_UNTIL = sql<Date | null>`
  case when m.state <> 'canceled' then m.starts_at - make_interval(hours => v.changes_until_hours) end`

/** A meeting as the pages of its member show it. */
export interface Booking extends MemberMeeting {
  readonly lecturers: readonly string[]
  readonly changesUntil: Date | null
}

/**
 * Whose time it is, or who teaches the course of the group. Of a person who has not signed in yet
 * the school may know the email alone, which is not for members.
 */
export async function withDetails(
  db: SchoolDb,
  meetings: readonly MemberMeeting[],
): Promise<Booking[]> {
  if (meetings.length === 0) return []
  const { rows } = await db.run(sql<Pick<Booking, 'id' | 'lecturers' | 'changesUntil'>>`
    select m.id, ${CHANGES_UNTIL} as "changesUntil", array(
      select p.public_name from (
          select v.host_id as id, 0 as position
          union all
          select l.user_id, l.position
          from study_groups g join course_lecturers l on l.school_id = g.school_id and l.course_id = g.course_id
          where g.school_id = m.school_id and g.id = m.study_group_id) who
        join ${shownPeople(db)} p on p.id = who.id
      where p.public_name is not null
      order by who.position, who.id limit 3) as lecturers
    from consulting_meetings m
      left join consulting_services v on v.school_id = m.school_id and v.id = m.service_id
    where m.school_id = ${db.schoolId} and m.id = any(${meetings.map(({ id }) => id)}::uuid[])`)
  const details = new Map(rows.map((row) => [row.id, row]))
  return meetings.flatMap((meeting) => {
    const found = details.get(meeting.id)
    return found === undefined ? [] : { ...meeting, ...found }
  })
}

/** Every meeting of a member, in any state. */
export function meetingRowsOf(db: SchoolDb, userId: string): RawBuilder<unknown> {
  const [seats, classes] = sources(db, userId).map((source) => sql`select 1 ${source}`)
  return sql`from (${seats} union all ${classes}) m`
}

/** How many members attend each meeting: its seats, or the members of its group. */
export async function attendeesOf(
  db: SchoolDb,
  meetingIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.run(sql<{ id: string; attendees: number }>`
    select m.id, coalesce(g.member_count, (
        select count(*) from meeting_seats s
        where s.school_id = m.school_id and s.meeting_id = m.id)) as attendees
    from consulting_meetings m
      left join study_groups g on g.school_id = m.school_id and g.id = m.study_group_id
    where m.school_id = ${db.schoolId} and m.id = any(${meetingIds}::uuid[])`)
  return new Map(rows.map(({ id, attendees }) => [id, attendees]))
}

export interface Schedule {
  readonly states: readonly MeetingState[]
  readonly now: Date
}

/** States of meetings that take place. */
export const TAKES_PLACE = ['available', 'scheduled'] as const satisfies readonly MeetingState[]

export const wholeSeconds = (time: Date): number => Math.floor(time.getTime() / 1000)

/**
 * What has not ended, the next one first. A meeting that has begun stays until it ends: its room is
 * needed now. `meetingsOf` lists newest first.
 */
export async function meetingsToCome(
  db: SchoolDb,
  userId: string,
  { states, now }: Schedule,
  { after, limit }: Pick<KeysetRange, 'after' | 'limit'>,
): Promise<MemberMeeting[]> {
  const range = { before: after, limit, fromEnd: true }
  const rows = await meetingsOf(db, userId, { states, endedAfter: wholeSeconds(now) }, range)
  return rows.reverse()
}

export async function pastMeetings(
  db: SchoolDb,
  userId: string,
  { states, now }: Schedule,
  range: KeysetRange,
): Promise<MemberMeeting[]> {
  return await meetingsOf(db, userId, { states, endedBefore: wholeSeconds(now) }, range)
}
