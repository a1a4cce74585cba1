import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { checkCourses } from '../learning/enrollment-operations.ts'
import { count, id, line, markdown, stamps, writtenMarkdown } from '../operation/fields.ts'
import { filter } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import {
  changeOperation,
  createOperation,
  readOperation,
  removeOperation,
} from '../operation/object-operations.ts'
import { expansionOf, type Resource } from '../operation/resource.ts'
import { WITHOUT_SCOPE, writing } from '../operation/writing.ts'
import { memberSchema, members } from '../people/member-resource.ts'
import { checkMembers } from '../people/membership.ts'

const SERVICE_STATES = ['offered', 'paused'] as const

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
  rows: (db) => sql`
    select s.id, s.title, s.description, s.state, s.host_id,
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
  description: markdown(20_000),
  host_id: id.nullable().meta({ description: 'The member whose time is offered.' }),
  state: z.enum(SERVICE_STATES),
  course_ids: z
    .array(id)
    .max(500)
    .meta({ description: 'The students of these courses can book the service.' }),
}

export const listServices = listOperation({
  name: 'consulting_services.list',
  title: 'List consulting services',
  summary: 'Services with their host and the courses whose students can book them.',
  ...WITHOUT_SCOPE,
  of: consultingServices,
  filters: {
    state: filter(serviceFields.state, (state) => sql`r.state = ${state}`),
    search: searchIn('title'),
  },
  sorts: { created_at: 'time', title: 'text' },
  defaultSort: '-created_at',
})

export const readService = readOperation({
  name: 'consulting_services.read',
  title: 'Read a consulting service',
  summary: 'One service by its id.',
  ...WITHOUT_SCOPE,
  of: consultingServices,
})

export const createService = createOperation({
  name: 'consulting_services.create',
  title: 'Create a consulting service',
  summary: 'Offers the time of a member to the students of courses. Slots define the times.',
  ...WITHOUT_SCOPE,
  of: consultingServices,
  fields: {
    title: serviceFields.title,
    description: serviceFields.description.default(''),
    host_id: serviceFields.host_id.default(null),
    state: serviceFields.state.default('offered'),
    course_ids: serviceFields.course_ids.default([]),
  },
  async create(tx, _caller, { course_ids, ...columns }) {
    await checkHost(tx, columns.host_id)
    const made = uuidv7()
    await tx.insert('consulting_services', { ...columns, id: made }).execute()
    await setCourses(tx, made, course_ids)
    return made
  },
})

const target = (service: string, ifVersion: number | undefined) => ({
  object: 'consulting_service',
  key: { id: service },
  ifVersion,
})

export const changeService = changeOperation({
  name: 'consulting_services.change',
  title: 'Change a consulting service',
  summary: 'Changes the given fields; all others stay unchanged. The list of courses is replaced.',
  ...WITHOUT_SCOPE,
  of: consultingServices,
  fields: z.object(serviceFields).omit({ state: true }).partial().shape,
  async change(tx, _caller, { id: service, if_version, course_ids, ...columns }) {
    await checkHost(tx, columns.host_id)
    // Changed courses must raise the version of the service too.
    const touched = course_ids === undefined ? {} : { updated_at: sql`now()` }
    await writing(tx).update('consulting_services', target(service, if_version), {
      ...touched,
      ...columns,
    })
    if (course_ids !== undefined) await setCourses(tx, service, course_ids)
  },
})

const moveTo = (state: 'offered' | 'paused', title: string, summary: string) =>
  changeOperation({
    name: `consulting_services.${state === 'offered' ? 'offer' : 'pause'}`,
    title,
    summary,
    ...WITHOUT_SCOPE,
    of: consultingServices,
    fields: {},
    async change(tx, _caller, { id: service, if_version }) {
      await writing(tx).update('consulting_services', target(service, if_version), { state })
    },
  })

export const offerService = moveTo('offered', 'Offer a consulting service', 'Shows it to students.')
export const pauseService = moveTo(
  'paused',
  'Pause a consulting service',
  'Hides it from students. Booked meetings stay.',
)

export const removeService = removeOperation({
  name: 'consulting_services.remove',
  title: 'Remove a consulting service',
  summary: 'Removes a service that never had a meeting, and its slots. Pause all others.',
  ...WITHOUT_SCOPE,
  of: consultingServices,
  keptBy: [
    {
      table: 'consulting_meetings',
      column: 'service_id',
      detail: 'This service has meetings, so it cannot be removed. Pause it instead.',
    },
  ],
  async remove(tx, _caller, { id: service, if_version }) {
    await writing(tx).delete('consulting_services', target(service, if_version))
  },
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
