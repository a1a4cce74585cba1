import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { ExportKind } from '../bulk/kind.ts'
import { byEmail, byEmails, byExternalId, byName } from '../bulk/reference-column.ts'
import { columnsOf, inAnyOrder, type PlannedRow, requireMembers } from '../bulk/table-details.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { schoolTimeZone } from '../schools/school.ts'
import { listMeetings } from './meeting-operations.ts'
import { attendees, meetingFields, meetingRules, meetings } from './meeting-resource.ts'
import { listAttendees } from './seat-operations.ts'
import { consultingServices, listServices, serviceFields } from './service-operations.ts'
import { listSlots, slotFields, slots, slotTaken } from './slot-operations.ts'
import {
  listRoster,
  listStudyGroups,
  roster,
  studyGroupFields,
  wholeStudyGroups,
} from './study-group-operations.ts'

const SERVICES = 'consulting-services'
const GROUPS = 'study-groups'
const userRows = (members: readonly string[]) => members.map((user_id) => ({ user_id }))

export const serviceKind = tableKind({
  name: SERVICES,
  about: 'Consulting services: a host, and the courses whose students can book.',
  of: consultingServices,
  list: listServices,
  scopes: {},
  example: { external_id: 'coaching', title: 'Coaching' },
  table: 'consulting_services',
  columns: columnsOf(serviceFields),
  references: { host_email: byEmail('host_id') },
  lists: {
    course_ids: {
      table: 'consulting_service_courses',
      owner: 'service_id',
      columns: ['course_id'],
      rows: (courses: readonly string[]) => courses.map((course_id) => ({ course_id })),
    },
  },
  complete: ({ values }) => inAnyOrder(values, 'course_ids'),
  inspect: (tx, rows) => requireMembers(tx, rows, 'host_id'),
})

export const slotKind = tableKind({
  name: 'consulting-slots',
  about: 'The weekly times of services.',
  of: slots,
  list: listSlots,
  scopes: {},
  example: {
    external_id: 'coaching-monday',
    service_external_id: 'coaching',
    weekday: 1,
    starts_at: '09:30',
    duration_minutes: 45,
  },
  table: 'consulting_slots',
  columns: columnsOf(slotFields, {
    service_id: { fixed: true },
    weekday: { note: '1 is Monday' },
    starts_at: { note: 'such as 09:30' },
    time_zone: { note: 'the school’s time zone by default' },
  }),
  types: { starts_at: 'time' },
  references: { service_external_id: byExternalId('service_id', SERVICES) },
  defaults: async (tx) => ({ time_zone: await schoolTimeZone(tx) }),
  confirm: checkTimes,
})

async function checkTimes(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const ids = rows.map(({ values }) => values.id)
  const { rows: taken } = await tx.run(sql`
    select 1 from consulting_slots t join consulting_slots o on o.school_id = t.school_id
      and o.service_id = t.service_id and o.weekday = t.weekday and o.starts_at = t.starts_at
      and o.time_zone = t.time_zone and o.id <> t.id
    where t.school_id = ${tx.schoolId} and t.id = any(${ids}::uuid[]) limit 1`)
  if (taken.length > 0) throw slotTaken()
}

export const studyGroupKind = tableKind({
  name: GROUPS,
  about: 'Members who meet as a class.',
  of: wholeStudyGroups,
  list: listStudyGroups,
  scopes: {},
  example: { external_id: 'evening-class', name: 'Evening class', course_slug: 'first' },
  table: 'study_groups',
  columns: columnsOf(studyGroupFields),
  references: {
    course_slug: byName('course_id', { table: 'courses', by: 'slug' }),
    member_emails: byEmails('member_ids'),
  },
  lists: {
    member_ids: {
      table: 'study_group_members',
      owner: 'group_id',
      columns: ['user_id'],
      rows: userRows,
    },
  },
  complete: ({ values }) => inAnyOrder(values, 'member_ids'),
  inspect: (tx, rows) => requireMembers(tx, rows, 'member_ids'),
})

export const meetingKind = tableKind({
  name: 'consulting-meetings',
  about: 'Meetings of services with the members who hold seats, and classes of study groups.',
  of: meetings,
  list: listMeetings,
  scopes: {},
  example: {
    external_id: 'meeting-1',
    service_external_id: 'coaching',
    starts_at: '2027-02-01T09:30:00Z',
    ends_at: '2027-02-01T10:15:00Z',
  },
  table: 'consulting_meetings',
  columns: columnsOf(meetingFields, {
    service_id: { fixed: true, note: 'this or study_group_id, not both' },
    study_group_id: { fixed: true },
    title: { note: 'by default the title of the service or the name of the group' },
    state: { note: 'of a class always available' },
    member_ids: { note: 'the members who hold a seat; a class has none' },
  }),
  references: {
    service_external_id: byExternalId('service_id', SERVICES),
    study_group_external_id: byExternalId('study_group_id', GROUPS),
    member_emails: byEmails('member_ids'),
  },
  lists: {
    member_ids: {
      table: 'meeting_seats',
      owner: 'meeting_id',
      columns: ['user_id', 'booked_at'],
      rows: (members: readonly string[], { created_at }) =>
        members.map((user_id) => ({
          user_id,
          booked_at: created_at ?? new Date().toISOString(),
        })),
    },
  },
  complete: ({ values }) => inAnyOrder(values, 'member_ids'),
  rules: meetingRules,
  async inspect(tx, rows) {
    await requireMembers(tx, rows, 'member_ids')
    await nameMeetings(tx, rows)
  },
})

/** A meeting without a title gets the title of its service or the name of its group. */
async function nameMeetings(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const unnamed = rows.filter(
    ({ outcome, values }) => outcome === 'created' && values.title === undefined,
  )
  if (unnamed.length === 0) return
  const holder = ({ values }: PlannedRow) => values.service_id ?? values.study_group_id
  const ids = [...new Set(unnamed.map(holder))]
  const { rows: found } = await tx.run(sql<{ id: string; title: string }>`
    select id, title from consulting_services
    where school_id = ${tx.schoolId} and id = any(${ids}::uuid[])
    union all
    select id, name from study_groups where school_id = ${tx.schoolId} and id = any(${ids}::uuid[])`)
  const titles = new Map(found.map(({ id, title }) => [id, title]))
  for (const row of unnamed) {
    const title = titles.get(String(holder(row)))
    if (title !== undefined) row.values.title = title
    else
      row.outcome = unknownHolder(row.values.service_id == null ? 'study_group_id' : 'service_id')
  }
}

function unknownHolder(column: string) {
  const detail = `There is no such object at this school. Check ${column}, or import it first.`
  return {
    kind: 'invalid' as const,
    problems: [{ pointer: `/${column}`, code: 'unknown_reference' as const, detail }],
  }
}

/**
 * People with their names. An import takes them with the meeting or the group, in the column
 * `member_ids`.
 */

export const attendeeKind: ExportKind = {
  name: 'meeting-attendees',
  about: 'The members who hold seats at meetings.',
  of: attendees,
  list: listAttendees,
  key: ['meeting_id', 'id'],
  scopes: {},
  notInAdmin: 'They are imported with their meeting, in the column `member_ids`.',
}

export const rosterKind: ExportKind = {
  name: 'study-group-members',
  about: 'The members of study groups.',
  of: roster,
  list: listRoster,
  key: ['group_id', 'id'],
  scopes: {},
  notInAdmin: 'They are imported with their group, in the column `member_ids`.',
}
