import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import { shownPeople } from '../actor/shown-person.ts'
import { recordChange } from '../audit/audit.ts'
import { tell } from '../notifications/notify.ts'
import { id } from '../operation/fields.ts'
import { listOperation } from '../operation/list-operation.ts'
import { changeOperation, createOperation } from '../operation/object-operations.ts'
import { conflict, invalid, notFound } from '../operation/refusal.ts'
import { loadObject } from '../operation/resource.ts'
import { WITHOUT_SCOPE, writing } from '../operation/writing.ts'
import { checkMembers } from '../people/membership.ts'
import { attendees, meetings } from './meeting-resource.ts'
import { CHANGES_UNTIL } from './meetings-of-member.ts'
import { openTimesOf } from './open-times.ts'
import { lockService, slots } from './slot-operations.ts'

export const listAttendees = listOperation({
  name: 'consulting_meetings.attendees',
  title: 'List a meeting’s attendees',
  summary: 'The members who hold a seat. A class has none: its group attends.',
  ...WITHOUT_SCOPE,
  of: attendees,
  within: { meeting_id: id },
  checkParent: (db, caller, input) => loadObject(db, caller, meetings, input.meeting_id),
  sorts: { name: 'text', since: 'time' },
  defaultSort: 'name',
})

export const bookSlot = createOperation({
  name: 'consulting_slots.book',
  title: 'Book a slot for a member',
  summary:
    'Reserves a seat on that day for the member. The meeting stays available until it is confirmed.',
  ...WITHOUT_SCOPE,
  of: meetings,
  fields: { id, on: z.iso.date('Write a day such as 2027-01-31.'), member_id: id },
  async create(tx, caller, { id: asked, on, member_id }) {
    const slot = await loadObject(tx, caller, slots, asked)
    await lockService(tx, slot.service_id)
    const day = await loadDay(tx, slot.id, on)
    if (day.weekday !== slot.weekday) {
      throw invalid('on', 'other_weekday', 'The slot is on another day of the week.')
    }
    if (day.starts_at.getTime() <= Date.now()) {
      throw invalid('on', 'in_the_past', 'This has already started. Choose a later day.')
    }
    if (day.state === 'paused') {
      throw conflict('paused', 'The service is paused. Offer it again to book its slots.')
    }
    const meeting = day.meeting_id ?? (await addMeeting(tx, slot.service_id, day))
    await takeSeat(tx, caller, meeting, member_id)
    return meeting
  },
})

interface SlotDay {
  readonly weekday: number
  readonly starts_at: Date
  readonly ends_at: Date
  readonly title: string
  readonly state: string
  readonly meeting_id: string | null
}

/** The slot on a day, and the meeting if there is one already. */
async function loadDay(tx: SchoolTx, slot: string, on: string): Promise<SlotDay> {
  const { rows } = await tx.run(sql<SlotDay>`
    select d.*, v.title, v.state, (
      select m.id from consulting_meetings m
      where m.school_id = t.school_id and m.service_id = t.service_id and m.starts_at = d.starts_at
        and m.state <> 'canceled' order by m.id limit 1) as meeting_id
    from consulting_slots t
      join consulting_services v on v.school_id = t.school_id and v.id = t.service_id
      cross join lateral (
        select extract(isodow from ${on}::date)::int as weekday,
          (${on}::date + t.starts_at) at time zone t.time_zone as starts_at,
          (${on}::date + t.starts_at) at time zone t.time_zone
            + make_interval(mins => t.duration_minutes) as ends_at) d
    where t.school_id = ${tx.schoolId} and t.id = ${slot}`)
  return rows[0] as SlotDay
}

async function addMeeting(
  tx: SchoolTx,
  service_id: string,
  { title, starts_at, ends_at }: Pick<SlotDay, 'title' | 'starts_at' | 'ends_at'>,
): Promise<string> {
  const made = uuidv7()
  await tx
    .insert('consulting_meetings', { id: made, service_id, title, starts_at, ends_at })
    .execute()
  return made
}

export const addAttendee = changeOperation({
  name: 'consulting_meetings.add_attendee',
  title: 'Add an attendee',
  summary: 'Gives a member a seat and shows the meeting in their schedule.',
  ...WITHOUT_SCOPE,
  of: meetings,
  fields: { member_id: id },
  async change(tx, caller, { id: meeting, if_version, member_id }) {
    await takeSeat(tx, caller, meeting, member_id, if_version)
  },
})

export const removeAttendee = changeOperation({
  name: 'consulting_meetings.remove_attendee',
  title: 'Remove an attendee',
  summary: 'Frees the seat of a member and removes the meeting from their schedule.',
  ...WITHOUT_SCOPE,
  of: meetings,
  fields: { member_id: id },
  async change(tx, caller, { id: meeting, if_version, member_id }) {
    await touch(tx, meeting, if_version)
    if (caller.via === 'account') await checkOwnSeat(tx, caller, meeting, member_id)
    await freeSeat(tx, meeting, member_id)
    const found = await loadObject(tx, caller, meetings, meeting)
    const { title, starts_at, state } = found
    if (isOver(found) || state === 'canceled') return
    await tellHost(tx, caller, found)
    await tellOther(tx, caller, 'meeting_seat_freed', member_id, { meeting: title, starts_at })
  },
})

/** A member changes only their own seat, and only as the service allows. Lock the meeting first. */
export async function checkOwnSeat(
  tx: SchoolTx,
  { userId }: Actor,
  meeting: string,
  member: string,
): Promise<void> {
  if (userId !== member) throw notFound('consulting_meeting')
  const { rows } = await tx.run(sql<{ open: boolean | null }>`
    select ${CHANGES_UNTIL} > now() as open
    from meeting_seats s
      join consulting_meetings m on m.school_id = s.school_id and m.id = s.meeting_id
      join consulting_services v on v.school_id = m.school_id and v.id = m.service_id
    where s.school_id = ${tx.schoolId} and s.meeting_id = ${meeting} and s.user_id = ${member}`)
  if (rows[0] === undefined) throw notFound('consulting_meeting')
  if (rows[0].open !== true) {
    throw conflict('wrong_state', 'This booking cannot be changed any more. Ask the school.')
  }
}

async function freeSeat(tx: SchoolTx, meeting: string, member: string): Promise<void> {
  const freed = await tx
    .delete('meeting_seats')
    .where('meeting_id', '=', meeting)
    .where('user_id', '=', member)
    .returning('user_id')
    .executeTakeFirst()
  if (freed === undefined) {
    throw invalid('member_id', 'no_seat', 'This member holds no seat in the meeting.')
  }
}

/** Members are not told what they did themselves. */
async function tellOther(
  tx: SchoolTx,
  { userId }: Actor,
  cause: 'meeting_booked' | 'meeting_seat_freed',
  member: string,
  facts: { readonly meeting: string; readonly starts_at: string },
): Promise<void> {
  if (userId !== member) await tell(tx, cause, [member], facts)
}

/** Of what a member did with their own seat, the person whose time it is hears. */
async function tellHost(
  tx: SchoolTx,
  { via, userId }: Actor,
  { id, title, starts_at }: z.output<typeof meetings.schema>,
  movedTo: Date | null = null,
): Promise<void> {
  if (via !== 'account' || userId === undefined) return
  const { rows } = await tx.run(sql<{ host: string; member: string }>`
    select v.host_id as host, coalesce(p.public_name, 'A member') as member
    from consulting_meetings m
      join consulting_services v on v.school_id = m.school_id and v.id = m.service_id
      join ${shownPeople(tx)} p on p.id = ${userId}
    where m.school_id = ${tx.schoolId} and m.id = ${id} and v.host_id <> ${userId}`)
  const [told] = rows
  if (told === undefined) return
  const facts = { member: told.member, meeting: title, starts_at }
  const moved_to = movedTo?.toISOString() ?? null
  await tell(tx, 'booking_changed', [told.host], { ...facts, moved_to })
}

/**
 * A member moves their own seat. A meeting that they attend alone moves as an operator moves it,
 * with its room; otherwise only the seat goes to the meeting at the other time.
 */
export const moveSeat = changeOperation({
  name: 'consulting_meetings.move_seat',
  title: 'Move a seat',
  summary: 'Moves the seat of a member to another open time of the same service.',
  ...WITHOUT_SCOPE,
  of: meetings,
  fields: { member_id: id, slot_id: id, on: z.iso.date() },
  async change(tx, caller, { id: meeting, if_version, member_id, slot_id, on }) {
    const { service_id } = await loadObject(tx, caller, meetings, meeting)
    if (service_id === null) throw notFound('consulting_meeting')
    await lockService(tx, service_id)
    await touch(tx, meeting, if_version)
    await checkOwnSeat(tx, caller, meeting, member_id)
    const open = await openTimesOf(tx, meeting, member_id)
    const time = open.find(({ slotId, on: day }) => slotId === slot_id && day === on)
    if (time === undefined) {
      throw conflict('full', 'This time is not open any more. Choose another one.')
    }
    const before = await loadObject(tx, caller, meetings, meeting)
    const { title, startsAt: starts_at, endsAt: ends_at, meetingId } = time
    await tellHost(tx, caller, before, starts_at)
    if (before.attendee_count === 1 && meetingId === null) {
      const length = Date.parse(before.ends_at) - Date.parse(before.starts_at)
      // The school has confirmed another time.
      const moved = {
        starts_at,
        ends_at: new Date(starts_at.getTime() + length),
        state: 'available',
      }
      const target = { object: 'consulting_meeting', key: { id: meeting } }
      await writing(tx).update('consulting_meetings', target, moved)
      return
    }
    await freeSeat(tx, meeting, member_id)
    const other = meetingId ?? (await addMeeting(tx, service_id, { title, starts_at, ends_at }))
    await takeSeat(tx, caller, other, member_id)
    const detail = { operation: addAttendee.name }
    await recordChange(tx, caller, { action: 'operation.done', subject: other, detail })
  },
})

async function takeSeat(
  tx: SchoolTx,
  caller: Actor,
  meeting: string,
  member: string,
  ifVersion?: number,
): Promise<void> {
  await touch(tx, meeting, ifVersion)
  const found = await loadObject(tx, caller, meetings, meeting)
  const { kind, state, attendee_count, title, starts_at } = found
  if (kind === 'study_group') {
    throw conflict('study_group', 'A class has no seats. Add the member to the group instead.')
  }
  if (state === 'canceled')
    throw conflict('canceled', 'This meeting was canceled. Reopen it first.')
  await checkMembers(tx, 'member_id', [member])
  const capacity = await capacityOf(tx, meeting)
  if (capacity !== null && attendee_count >= capacity) {
    throw conflict('full', 'Every seat is taken. Free one, or choose another time.')
  }
  const { rows } = await tx.run(sql`
    insert into meeting_seats (school_id, meeting_id, user_id)
    values (${tx.schoolId}, ${meeting}, ${member}) on conflict do nothing returning 1`)
  if (rows.length === 0) {
    throw invalid('member_id', 'already_seated', 'This member already holds a seat in the meeting.')
  }
  if (isOver(found)) return
  await tellOther(tx, caller, 'meeting_booked', member, { meeting: title, starts_at })
}

const isOver = ({ ends_at }: { readonly ends_at: string }) => Date.parse(ends_at) <= Date.now()

/** A change of seats raises the version of the meeting, and locks its row. */
async function touch(tx: SchoolTx, meeting: string, ifVersion: number | undefined): Promise<void> {
  const target = { object: 'consulting_meeting', key: { id: meeting }, ifVersion }
  await writing(tx).update('consulting_meetings', target, { updated_at: sql`now()` })
}

/** The capacity of the slot at the time of the meeting; null if there is no slot at that time. */
export async function capacityOf(tx: SchoolTx, meeting: string): Promise<number | null> {
  const { rows } = await tx.run(sql<{ capacity: number | null }>`
    select max(t.capacity) as capacity
    from consulting_meetings m join consulting_slots t
      on t.school_id = m.school_id and t.service_id = m.service_id
        and t.weekday = extract(isodow from m.starts_at at time zone t.time_zone)
        and t.starts_at = (m.starts_at at time zone t.time_zone)::time
    where m.school_id = ${tx.schoolId} and m.id = ${meeting}`)
  return rows[0]?.capacity ?? null
}

const STEP_ROWS = 1000

/**
 * Crosses schools: writes the start of the meeting on seats from before an update. Several
 * processes may do this at once. A meeting that is moved meanwhile has filled its seats itself, so
 * they are left alone. Returns how many it filled.
 */
export async function fillSeatTimes(db: Db, signal?: AbortSignal): Promise<number> {
  let filled = 0
  for (;;) {
    if (signal?.aborted === true) return filled
    const { numAffectedRows = 0n } = await sql`
      update meeting_seats s set starts_at = m.starts_at
      from (
        select school_id, meeting_id, user_id from meeting_seats
        where starts_at is null order by school_id, user_id limit ${sql.lit(STEP_ROWS)} for update skip locked) old
        join consulting_meetings m on m.school_id = old.school_id and m.id = old.meeting_id
      where s.school_id = old.school_id and s.meeting_id = old.meeting_id and s.user_id = old.user_id
        and s.starts_at is null`.execute(db)
    filled += Number(numAffectedRows)
    if (numAffectedRows < STEP_ROWS) return filled
  }
}
