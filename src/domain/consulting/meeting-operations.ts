import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { tell } from '../notifications/notify.ts'
import { changeFields, id, webAddress } from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { objectOperations } from '../operation/object-operations.ts'
import { conflict, invalid } from '../operation/refusal.ts'
import { loadObject } from '../operation/resource.ts'
import { checkRow } from '../operation/row-rules.ts'
import { textOf } from '../operation/search-related.ts'
import { checkMembers } from '../people/membership.ts'
import { meetingFields, meetingRules, meetings } from './meeting-resource.ts'
import { MEETING_KINDS, MEETING_STATES } from './meetings-of-member.ts'
import { isTimeTaken } from './move-meeting.ts'
import { lockService } from './slot-operations.ts'

const { title, starts_at, ends_at, room_url } = meetingFields

const ops = objectOperations({
  of: meetings,
  table: 'consulting_meetings',
  one: 'a meeting',
  scope: null,
  fields: meetingFields,
  rules: meetingRules,
})

export const listMeetings = listOperation({
  ...ops.listed,
  title: 'List meetings',
  summary: 'Meetings of services and classes of study groups, past and upcoming.',
  filters: {
    kind: filter(z.enum(MEETING_KINDS), (kind) =>
      kind === 'consulting' ? sql`r.study_group_id is null` : sql`r.study_group_id is not null`,
    ),
    state: filter(z.enum(MEETING_STATES), (state) => sql`r.state = ${sql.lit(state)}`),
    service_id: filter(id, (value) => sql`r.service_id = ${value}`),
    study_group_id: filter(id, (value) => sql`r.study_group_id = ${value}`),
    member_id: filter(
      id,
      (value, db) => sql`
        r.id in (
          select s.meeting_id from meeting_seats s
          where s.school_id = ${db.schoolId} and s.user_id = ${value}
          union all
          select c.id from study_group_members p join consulting_meetings c
            on c.school_id = p.school_id and c.study_group_id = p.group_id
          where p.school_id = ${db.schoolId} and p.user_id = ${value})`,
    ),
    search: searchIn(
      'title',
      textOf('service_id', 'consulting_services', 'title'),
      textOf('study_group_id', 'study_groups', 'name'),
    ),
    when: filter(z.enum(['upcoming', 'past']), (when) =>
      when === 'past' ? sql`r.ends_at <= now()` : sql`r.ends_at > now()`,
    ),
    ...timeFilters('starts_at'),
    ...timeFilters('ends_at'),
  },
  sorts: { starts_at: 'time', created_at: 'time' },
  defaultSort: '-starts_at',
})

export const readMeeting = ops.read()

export const createMeeting = ops.create({
  summary: 'A meeting of a service with the members who hold seats, or a class of a study group.',
  async create(tx, _caller, row) {
    checkRow(meetingRules, row)
    const { member_ids, title: given, ...columns } = row
    const seated = await checkMembers(tx, 'member_ids', member_ids)
    const named = given ?? (await titleFor(tx, columns.service_id, columns.study_group_id))
    const meeting = await ops.insert(tx, { ...columns, title: named })
    const seats = seated.map((user_id) => ({ meeting_id: meeting, user_id }))
    if (seats.length > 0) await tx.insert('meeting_seats', seats).execute()
    return meeting
  },
})

export const changeMeeting = ops.change({
  summary: 'Changes title, time or room. Members see it at once.',
  fields: changeFields({ title, starts_at, ends_at, room_url }),
})

export const confirmMeeting = ops.action('confirm', {
  summary: 'Turns a reserved slot into a scheduled meeting, with its room if one is given.',
  fields: {
    room_url: webAddress
      .nullable()
      .default(null)
      .meta({ description: 'Null leaves the room unchanged.' }),
  },
  async change(tx, caller, { id: meeting, if_version, room_url }) {
    await ops.lock(tx, { id: meeting, if_version })
    const before = await loadObject(tx, caller, meetings, meeting)
    if (before.kind === 'study_group') {
      throw conflict('study_group', 'A class of a study group needs no confirmation.')
    }
    if (before.state === 'canceled') {
      throw conflict('canceled', 'This meeting was canceled. Reopen it first.')
    }
    if (Date.parse(before.ends_at) <= Date.now()) {
      throw conflict('over', 'This meeting is over, so it cannot be confirmed.')
    }
    const columns = { state: 'scheduled', room_url: room_url ?? undefined }
    await ops.update(tx, { id: meeting }, columns)
  },
})

export const cancelMeeting = ops.action('cancel', {
  summary:
    'A meeting of a service stays in the members’ schedules as canceled, without its room, and they are told. A class is removed instead.',
  async change(tx, caller, input) {
    const before = await loadObject(tx, caller, meetings, input.id)
    const { kind, state, title, starts_at, ends_at } = before
    if (kind === 'study_group') {
      throw conflict('study_group', 'A class of a study group is not canceled. Remove it instead.')
    }
    await ops.update(tx, input, { state: 'canceled' })
    if (state === 'canceled' || Date.parse(ends_at) <= Date.now()) return
    await tell(tx, 'meeting_canceled', before.member_ids, { meeting: title, starts_at })
  },
})

export const reopenMeeting = ops.action('reopen', {
  summary: 'Undoes a cancellation or a confirmation. Members keep their seats.',
  async change(tx, caller, input) {
    const before = await loadObject(tx, caller, meetings, input.id)
    const { service_id } = before
    if (before.state === 'canceled' && service_id !== null) {
      await lockService(tx, service_id)
      const start = new Date(before.starts_at)
      if (await isTimeTaken(tx, { id: input.id, service_id }, start)) throw conflict('taken', TAKEN)
    }
    await ops.update(tx, input, { state: 'available' })
  },
})

const TAKEN =
  'The service has another meeting at this time by now. Move or cancel that one first, and reopen this one then.'

async function titleFor(
  tx: SchoolTx,
  service: string | null,
  group: string | null,
): Promise<string> {
  const { rows } = await tx.run(sql<{ title: string }>`
    select title from consulting_services where school_id = ${tx.schoolId} and id = ${service}
    union all
    select name from study_groups where school_id = ${tx.schoolId} and id = ${group}`)
  const found = rows[0]?.title
  if (found !== undefined) return found
  const field = service === null ? 'study_group_id' : 'service_id'
  throw invalid(field, 'unknown_reference', 'There is no object with this id at this school.')
}
