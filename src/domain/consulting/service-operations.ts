import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { checkCourses } from '../learning/enrollment-operations.ts'
import {
  changeFields,
  count,
  id,
  line,
  markdown,
  stamps,
  writtenMarkdown,
} from '../operation/fields.ts'
import { filter } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { objectOperations } from '../operation/object-operations.ts'
import { expansionOf, type Resource } from '../operation/resource.ts'
import { memberSchema, members } from '../people/member-resource.ts'
import { checkMembers } from '../people/membership.ts'

const SERVICE_STATES = ['offered', 'paused'] as const

const changesUntil = z.int().min(0).max(720).nullable().meta({
  description:
    'How many hours before the start members can last move or cancel their own booking; null if they cannot.',
})

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
    changes_until_hours: changesUntil,
    ...stamps,
    host: memberSchema.nullable().optional(),
  })
  .meta({ id: 'ConsultingService' })

export const consultingServices: Resource<typeof serviceSchema> = {
  object: 'consulting_service',
  schema: serviceSchema,
  rows: (db) => sql`
    select s.id, s.title, s.description, s.state, s.host_id, s.changes_until_hours,
      array(select c.course_id from consulting_service_courses c
            where c.school_id = s.school_id and c.service_id = s.id order by c.course_id)::text[] as course_ids,
      (select count(*) from consulting_slots t
       where t.school_id = s.school_id and t.service_id = s.id) as slot_count,
      (select count(*) from consulting_meetings m
       where m.school_id = s.school_id and m.service_id = s.id and m.state <> 'canceled'
         and m.starts_at > now()) as upcoming_meeting_count,
      s.created_at, s.updated_at, s.version
    from consulting_services s where s.school_id = ${db.schoolId}`,
  expansions: { host: expansionOf(members, 'host_id', ['members:read']) },
}

export const serviceFields = {
  title: line(300),
  description: markdown(20_000).default(''),
  host_id: id.nullable().meta({ description: 'The member whose time is offered.' }).default(null),
  state: z.enum(SERVICE_STATES).default('offered'),
  course_ids: z
    .array(id)
    .max(500)
    .meta({ description: 'The students of these courses can book the service.' })
    .default([]),
  changes_until_hours: changesUntil.default(null),
}

const { state: _, ...changeable } = serviceFields

const ops = objectOperations({
  of: consultingServices,
  table: 'consulting_services',
  one: 'a consulting service',
  scope: null,
  fields: serviceFields,
})

export const listServices = listOperation({
  ...ops.listed,
  summary: 'Services with their host and the courses whose students can book them.',
  filters: {
    state: filter(z.enum(SERVICE_STATES), (state) => sql`r.state = ${state}`),
    search: searchIn('title'),
  },
  sorts: { created_at: 'time', title: 'text' },
  defaultSort: '-created_at',
})

export const readService = ops.read({
  summary: 'One service by its id.',
})

export const createService = ops.create({
  summary: 'Offers the time of a member to the students of courses. Slots define the times.',
  async create(tx, _caller, { course_ids, ...columns }) {
    await checkHost(tx, columns.host_id)
    const service = await ops.insert(tx, columns)
    await setCourses(tx, service, course_ids)
    return service
  },
})

export const changeService = ops.change({
  summary: 'Changes the given fields; all others stay unchanged. The list of courses is replaced.',
  fields: changeFields(changeable),
  async change(tx, _caller, { id: service, if_version, course_ids, ...columns }) {
    await checkHost(tx, columns.host_id)
    // Changed courses must raise the version of the service too.
    const touched = course_ids === undefined ? {} : { updated_at: sql`now()` }
    await ops.update(
      tx,
      { id: service, if_version },
      {
        ...touched,
        ...columns,
      },
    )
    if (course_ids !== undefined) await setCourses(tx, service, course_ids)
  },
})

export const offerService = ops.move('offer', {
  summary: 'Shows it to students.',
  to: { state: 'offered' },
})

export const pauseService = ops.move('pause', {
  summary: 'Hides it from students. Booked meetings stay.',
  to: { state: 'paused' },
})

export const removeService = ops.remove({
  summary: 'Removes a service that never had a meeting, and its slots. Pause all others.',
  keptBy: [
    {
      table: 'consulting_meetings',
      column: 'service_id',
      detail: 'This service has meetings, so it cannot be removed. Pause it instead.',
    },
  ],
})

async function checkHost(tx: SchoolTx, host: string | null | undefined): Promise<void> {
  if (host != null) await checkMembers(tx, 'host_id', [host])
}

async function setCourses(tx: SchoolTx, service: string, wanted: readonly string[]): Promise<void> {
  const unique = await checkCourses(tx, 'course_ids', wanted)
  await tx.delete('consulting_service_courses').where('service_id', '=', service).execute()
  if (unique.length === 0) return
  const offered = unique.map((course_id) => ({ service_id: service, course_id }))
  await tx.insert('consulting_service_courses', offered).execute()
}
