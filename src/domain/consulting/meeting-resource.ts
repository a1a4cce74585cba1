import { sql } from 'kysely'
import { z } from 'zod'
import { count, id, line, stamps, utc } from '../operation/fields.ts'
import type { Resource } from '../operation/resource.ts'
import { shownPeople } from '../people/shown-person.ts'
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
  rows: (at) => sql`
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
    where m.school_id = ${at.schoolId}`,
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
  rows: (at) => sql`
    select s.user_id as id, s.meeting_id, u.name, u.email, s.booked_at as since
    from meeting_seats s join ${shownPeople(at)} u on u.id = s.user_id
    where s.school_id = ${at.schoolId}`,
}
