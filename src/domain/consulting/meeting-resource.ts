import { sql } from 'kysely'
import { z } from 'zod'
import { shownPeople } from '../actor/shown-person.ts'
import { count, id, line, stamps, time, utc, webAddress } from '../operation/fields.ts'
import type { Resource } from '../operation/resource.ts'
import { endsTooEarly, type RowRules } from '../operation/row-rules.ts'
import { MEETING_KINDS, MEETING_STATES } from './meetings-of-member.ts'

const meetingSchema = z
  .strictObject({
    object: z.literal('consulting_meeting'),
    id,
    kind: z.enum(MEETING_KINDS),
    service_id: id.nullable(),
    study_group_id: id.nullable(),
    held_for: z
      .string()
      .meta({ description: 'The title of the service or the name of the group.' }),
    title: line(300),
    state: z.enum(MEETING_STATES),
    starts_at: utc,
    ends_at: utc,
    room_url: z.string().meta({ description: 'Empty if there is none yet.' }),
    member_ids: z
      .array(id)
      .meta({ description: 'The members who hold a seat. A class has none: its group attends.' }),
    attendee_count: count,
    ...stamps,
  })
  .meta({ id: 'ConsultingMeeting' })

export const meetings: Resource<typeof meetingSchema> = {
  object: 'consulting_meeting',
  schema: meetingSchema,
  rows: (db) => sql`
    select m.id, case when m.study_group_id is null then 'consulting' else 'study_group' end as kind,
      m.service_id, m.study_group_id, coalesce(v.title, g.name) as held_for,
      m.title, m.state, m.starts_at, m.ends_at, m.room_url, seats.member_ids,
      case when m.study_group_id is null then cardinality(seats.member_ids)
        else g.member_count end as attendee_count,
      m.created_at, m.updated_at, m.version
    from consulting_meetings m
      left join consulting_services v on v.school_id = m.school_id and v.id = m.service_id
      left join study_groups g on g.school_id = m.school_id and g.id = m.study_group_id
      cross join lateral (
        select array(select s.user_id from meeting_seats s
                     where s.school_id = m.school_id and s.meeting_id = m.id
                     order by s.user_id)::text[] as member_ids) seats
    where m.school_id = ${db.schoolId}`,
}

const attendeeSchema = z
  .strictObject({
    object: z.literal('meeting_attendee'),
    id: id.meta({ description: 'The member.' }),
    meeting_id: id,
    name: z.string(),
    email: z.string().nullable(),
    since: utc.meta({ description: 'When the member booked the seat.' }),
  })
  .meta({ id: 'MeetingAttendee' })

export const attendees: Resource<typeof attendeeSchema> = {
  object: 'meeting_attendee',
  schema: attendeeSchema,
  rows: (db) => sql`
    select s.user_id as id, s.meeting_id, u.name, u.email, s.booked_at as since
    from meeting_seats s join ${shownPeople(db)} u on u.id = s.user_id
    where s.school_id = ${db.schoolId}`,
}

export const meetingFields = {
  service_id: id.nullable().default(null),
  study_group_id: id.nullable().default(null),
  title: line(300)
    .optional()
    .meta({ description: 'The title of the service or the name of the group if left out.' }),
  state: z.enum(MEETING_STATES).default('available'),
  starts_at: time,
  ends_at: time,
  room_url: z
    .union([z.literal(''), webAddress], {
      error: 'Write an address that begins with https://, or leave it empty.',
    })
    .default(''),
  member_ids: z.array(id).max(5000).default([]),
}

interface MeetingRow {
  readonly service_id?: string | null | undefined
  readonly study_group_id?: string | null | undefined
  readonly state?: string | undefined
  readonly member_ids?: readonly string[] | undefined
  readonly starts_at?: string | undefined
  readonly ends_at?: string | undefined
}

const ONE_OF = {
  code: 'one_of',
  detail: 'A meeting belongs to a service or to a study group. Give one of the two.',
} as const

export const meetingRules: RowRules<MeetingRow> = [
  {
    ...ONE_OF,
    field: 'service_id',
    broken: ({ service_id, study_group_id }) => service_id == null && study_group_id == null,
  },
  {
    ...ONE_OF,
    field: 'study_group_id',
    broken: ({ service_id, study_group_id }) => service_id != null && study_group_id != null,
  },
  {
    field: 'state',
    code: 'study_group',
    detail: 'A class is always available. Remove one that does not take place.',
    broken: ({ study_group_id, state = 'available' }) =>
      study_group_id != null && state !== 'available',
  },
  {
    field: 'member_ids',
    code: 'study_group',
    detail: 'A class has no seats: all members of its group attend.',
    broken: ({ study_group_id, member_ids = [] }) =>
      study_group_id != null && member_ids.length > 0,
  },
  {
    field: 'ends_at',
    code: 'before_start',
    detail: 'Write an end after the start.',
    broken: ({ starts_at, ends_at }) => endsTooEarly(starts_at, ends_at),
  },
]
