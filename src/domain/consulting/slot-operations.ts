import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { tell } from '../notifications/notify.ts'
import { count, id } from '../operation/fields.ts'
import { filter } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { objectOperations, removeOperation } from '../operation/object-operations.ts'
import type { WriteOperation } from '../operation/operation.ts'
import { conflict, notFound } from '../operation/refusal.ts'
import { loadObject, type Resource, selectObjects } from '../operation/resource.ts'
import { checkVersion, WITHOUT_SCOPE, writing } from '../operation/writing.ts'
import { schoolTimeZone } from '../schools/school.ts'
import { isTimeZone } from '../schools/school-details.ts'
import { meetings } from './meeting-resource.ts'
import { attendeesOf } from './study-group-operations.ts'

const weekday = z.int().min(1).max(7).meta({ description: 'ISO 8601: 1 is Monday, 7 is Sunday.' })
const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Write a time of day such as 09:30.')
const minutes = z.int().min(5).max(1440)
const capacity = z.int().min(1).max(10_000)
// A name, not an offset: PostgreSQL reads +08:00 as west of UTC.
const timeZone = z
  .string()
  .max(64)
  .refine(
    (name) => /^[A-Za-z]/.test(name) && isTimeZone(name),
    'Write a time zone such as Europe/Lisbon or UTC.',
  )

const slotSchema = z
  .strictObject({
    object: z.literal('consulting_slot'),
    id,
    service_id: id,
    weekday,
    starts_at: timeOfDay,
    duration_minutes: minutes,
    time_zone: z.string(),
    capacity: z.int(),
    minute_of_week: count.meta({ description: 'Counted from Monday, for sorting.' }),
  })
  .meta({ id: 'ConsultingSlot' })

export const slots: Resource<typeof slotSchema> = {
  object: 'consulting_slot',
  schema: slotSchema,
  rows: (db) => sql`
    select t.id, t.service_id, t.weekday, to_char(t.starts_at, 'HH24:MI') as starts_at,
      t.duration_minutes, t.time_zone, t.capacity,
      ((t.weekday - 1) * 1440 + extract(epoch from t.starts_at)::int / 60)::int as minute_of_week
    from consulting_slots t where t.school_id = ${db.schoolId}`,
}

export const slotFields = {
  service_id: id,
  weekday,
  starts_at: timeOfDay,
  duration_minutes: minutes,
  time_zone: timeZone.optional().meta({ description: 'The school’s time zone if left out.' }),
  capacity: capacity.meta({ description: 'How many seats each meeting has.' }).default(1),
}

const { duration_minutes, time_zone, capacity: seats } = slotFields
const everyWeek = { duration_minutes, time_zone, capacity: seats }

const ops = objectOperations({
  of: slots,
  table: 'consulting_slots',
  one: 'a consulting slot',
  scope: null,
  fields: slotFields,
})

export const listSlots = listOperation({
  ...ops.listed,
  summary: 'The weekly times of services, from Monday to Sunday.',
  filters: { service_id: filter(id, (value) => sql`r.service_id = ${value}`) },
  sorts: { minute_of_week: 'number' },
  defaultSort: 'minute_of_week',
})

export const readSlot = ops.read({
  summary: 'One weekly time by its id.',
})

export const createSlot = ops.create({
  summary: 'Adds a time that a service offers every week.',
  async create(tx, _caller, { weekday: day, starts_at, ...rest }) {
    const [made] = await addSlots(tx, { ...rest, places: [{ weekday: day, starts_at }] })
    return String(made)
  },
})

/** In the order of ISO 8601: the first is day 1. */
export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const

const severalSlots = z.strictObject({
  service_id: id,
  weekdays: z.array(z.enum(WEEKDAYS)).min(1, 'Choose at least one day.').max(7),
  start_times: z.array(timeOfDay).min(1, 'Write at least one time.').max(48),
  ...everyWeek,
})

const madeSlots = z.strictObject({
  object: z.literal('consulting_slots'),
  id: id.meta({ description: 'The service.' }),
  data: z.array(slotSchema),
})

/** Creates a slot for each time on each weekday, or none at all. */
export const createSlots = {
  name: 'consulting_slots.create_several',
  title: 'Create several consulting slots',
  summary: 'Adds each of the times on each of the weekdays.',
  ...WITHOUT_SCOPE,
  kind: 'create',
  input: severalSlots,
  output: madeSlots,
  async run(tx, caller, { weekdays, start_times, ...rest }) {
    const places = [...new Set(weekdays)].flatMap((day) =>
      [...new Set(start_times)].map((starts_at) => ({
        weekday: WEEKDAYS.indexOf(day) + 1,
        starts_at,
      })),
    )
    const made = await addSlots(tx, { ...rest, places })
    const data = await selectObjects(
      tx,
      caller,
      slots,
      sql`r.id = any(${made}::uuid[]) order by r.minute_of_week, r.id`,
    )
    return { object: 'consulting_slots' as const, id: rest.service_id, data }
  },
} satisfies WriteOperation<typeof severalSlots, typeof madeSlots>

interface NewSlots {
  readonly service_id: string
  readonly duration_minutes: number
  readonly time_zone?: string | undefined
  readonly capacity: number
  readonly places: readonly { readonly weekday: number; readonly starts_at: string }[]
}

async function addSlots(
  tx: SchoolTx,
  { service_id, places, time_zone: given, ...terms }: NewSlots,
): Promise<readonly string[]> {
  await lockService(tx, service_id)
  const time_zone = given ?? (await schoolTimeZone(tx))
  const { rows: taken } = await tx.run(sql<{ weekday: number; starts_at: string }>`
    select weekday, to_char(starts_at, 'HH24:MI') as starts_at from consulting_slots
    where school_id = ${tx.schoolId} and service_id = ${service_id} and time_zone = ${time_zone}`)
  const already = places.find((place) =>
    taken.some((slot) => slot.weekday === place.weekday && slot.starts_at === place.starts_at),
  )
  if (already !== undefined) {
    throw slotTaken()
  }
  const rows = places.map((place) => ({ ...terms, ...place, id: uuidv7(), service_id, time_zone }))
  await tx.insert('consulting_slots', rows).execute()
  return rows.map((row) => row.id)
}

/** No two requests both make a slot, or a meeting, at the same time of a service. */
export async function lockService(tx: SchoolTx, id: string): Promise<void> {
  await checkVersion(tx, 'consulting_services', { object: 'consulting_service', key: { id } })
}

/** A service cannot have two slots at the same time. */
export function slotTaken() {
  return conflict('taken', 'The service already has a slot at this time.')
}

export const removeSlot = ops.remove({
  summary: 'Removes a weekly time. Booked meetings stay.',
  async remove(tx, _caller, { id: slot }) {
    const gone = await tx
      .delete('consulting_slots')
      .where('id', '=', slot)
      .returning('id')
      .executeTakeFirst()
    if (gone === undefined) throw notFound('consulting_slot')
  },
})

/** A class is never canceled: one that does not take place leaves the schedules of its group. */
export const removeClass = removeOperation({
  name: 'consulting_meetings.remove',
  title: 'Remove a class',
  summary:
    'Removes a class of a study group that does not take place. Its members get a notification, unless it is over or they turned notifications about meetings off.',
  ...WITHOUT_SCOPE,
  of: meetings,
  async remove(tx, caller, { id, if_version }) {
    const target = { object: 'consulting_meeting', key: { id } }
    await checkVersion(tx, 'consulting_meetings', { ...target, ifVersion: if_version })
    const { kind, study_group_id, title, starts_at, ends_at } = await loadObject(
      tx,
      caller,
      meetings,
      id,
    )
    if (kind !== 'study_group' || study_group_id === null) {
      throw conflict('consulting', 'A meeting of a service is not removed. Cancel it instead.')
    }
    if (Date.parse(ends_at) > Date.now()) {
      const facts = { meeting: title, starts_at }
      await tell(tx, 'class_canceled', attendeesOf(tx, { id, study_group_id }), facts)
    }
    await writing(tx).delete('consulting_meetings', target)
  },
})
