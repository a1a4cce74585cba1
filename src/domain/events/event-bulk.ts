import { sql } from 'kysely'
import { z } from 'zod'
import { byEmail, byName } from '../bulk/reference-column.ts'
import { columnsOf, requireMembers, stampState } from '../bulk/table-details.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { keepImported } from '../content/rendered-texts.ts'
import { id, time } from '../operation/fields.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { conflict } from '../operation/refusal.ts'
import { schoolCurrency } from '../schools/school.ts'
import {
  eventFields,
  eventRules,
  events,
  listEvents,
  registrationRules,
} from './event-operations.ts'
import { listRegistrations, registrations } from './registration-operations.ts'

const SCOPES = { read: 'events:read', write: 'events:write' }

export const eventKind = tableKind({
  name: 'events',
  about: 'Events in every state, past and upcoming.',
  of: events,
  list: listEvents,
  scopes: SCOPES,
  example: {
    slug: 'open-studio',
    title: 'Open studio',
    starts_at: '2027-02-01T18:00:00Z',
    ends_at: '2027-02-01T20:00:00Z',
  },
  table: 'events',
  natural: ['slug'],
  columns: {
    ...columnsOf(eventFields, {
      capacity: { note: 'empty means no limit' },
      currency: { note: 'the school’s currency by default' },
    }),
    state: { schema: events.schema.shape.state, default: 'draft' },
  },
  defaults: async (tx) => ({ currency: await schoolCurrency(tx) }),
  rules: eventRules,
  confirm: keepImported('events'),
})

export const registrationKind = tableKind({
  name: 'event-registrations',
  about: 'Registrations of members for events.',
  of: registrations,
  list: listRegistrations,
  scopes: SCOPES,
  example: { event_slug: 'evening', member_id: EXAMPLE.newcomer },
  table: 'event_registrations',
  natural: ['event_id', 'member_id'],
  columns: {
    event_id: { schema: id, needed: true, fixed: true },
    member_id: { schema: id, needed: true, fixed: true },
    state: { schema: z.enum(['registered', 'attended', 'canceled']), default: 'registered' },
    registered_at: { schema: time, note: 'now by default' },
    canceled_at: { schema: time.nullable(), note: 'now by default, if the state needs it' },
  },
  stored: { member_id: 'user_id' },
  now: ['registered_at'],
  references: {
    event_slug: byName('event_id', { table: 'events', by: 'slug' }),
    member_email: byEmail('member_id'),
  },
  complete(row) {
    row.values.state ??= row.before?.state ?? 'registered'
    stampState(row, ['canceled'], 'canceled_at')
  },
  rules: registrationRules,
  async inspect(tx, rows) {
    await requireMembers(tx, rows, 'member_id')
    // Locks the events first, so that no other request takes the last place meanwhile.
    const ids = new Set(rows.map(({ values, before }) => before?.event_id ?? values.event_id))
    await tx.run(sql`
      select 1 from events where school_id = ${tx.schoolId} and id = any(${[...ids]}::uuid[])
      order by id for update`)
  },
  async confirm(tx, rows) {
    const ids = new Set(rows.map(({ values, before }) => before?.event_id ?? values.event_id))
    const { rows: full } = await tx.run(sql`
      select 1 from events e where e.school_id = ${tx.schoolId} and e.id = any(${[...ids]}::uuid[])
        and e.capacity < (select count(*) from event_registrations g
          where g.school_id = e.school_id and g.event_id = e.id and g.state <> 'canceled') limit 1`)
    if (full.length > 0) throw conflict('full', 'Every place is taken. Raise the capacity first.')
  },
})
