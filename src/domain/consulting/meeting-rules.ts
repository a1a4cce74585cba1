import { z } from 'zod'
import { id, line, time, webAddress } from '../operation/fields.ts'
import { endsTooEarly, type RowRules } from '../operation/row-rules.ts'
import { MEETING_STATES } from './meetings-of-member.ts'

export const meetingFields = {
  service_id: id.nullable(),
  study_group_id: id.nullable(),
  title: line(300),
  state: z.enum(MEETING_STATES),
  starts_at: time,
  ends_at: time,
  room_url: z.union([z.literal(''), webAddress], {
    error: 'Write an address that begins with https://, or leave it empty.',
  }),
  member_ids: z.array(id).max(5000),
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
