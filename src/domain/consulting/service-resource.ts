import { sql } from 'kysely'
import { z } from 'zod'
import { count, id, line, stamps, writtenMarkdown } from '../operation/fields.ts'
import { expansionOf, type Resource } from '../operation/resource.ts'
import { memberSchema, members } from '../people/member-resource.ts'

export const SERVICE_STATES = ['offered', 'paused'] as const

const serviceSchema = z
  .strictObject({
    object: z.literal('consulting_service'),
    id,
    title: line(300),
    description: writtenMarkdown,
    state: z.enum(SERVICE_STATES),
    host_id: id.nullable(),
    course_ids: z
      .array(id)
      .meta({ description: 'The students of these courses can book the service.' }),
    slot_count: count,
    upcoming_meeting_count: count.meta({ description: 'Canceled ones are not counted.' }),
    ...stamps,
    host: memberSchema.nullable().optional(),
  })
  .meta({ id: 'ConsultingService' })

export const consultingServices: Resource<typeof serviceSchema> = {
  object: 'consulting_service',
  schema: serviceSchema,
  rows: (at) => sql`
    select s.id, s.title, s.description, s.state, s.host_id,
      array(select c.course_id from consulting_service_courses c
            where c.school_id = s.school_id and c.service_id = s.id order by c.course_id)::text[] as course_ids,
      (select count(*) from consulting_slots t
       where t.school_id = s.school_id and t.service_id = s.id) as slot_count,
      (select count(*) from consulting_meetings m
       where m.school_id = s.school_id and m.service_id = s.id and m.state <> 'canceled'
         and m.starts_at > now()) as upcoming_meeting_count,
      s.created_at, s.updated_at, s.version
    from consulting_services s where s.school_id = ${at.schoolId}`,
  expansions: { host: expansionOf(members, 'host_id', ['members:read']) },
}
