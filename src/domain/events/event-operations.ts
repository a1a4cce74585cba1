import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { keepsText } from '../content/rendered-texts.ts'
import { tell } from '../notifications/notify.ts'
import {
  amount,
  count,
  currencyOrOwn,
  id,
  line,
  markdown,
  slug,
  stamps,
  text,
  time,
  utc,
  valueFields,
  webAddress,
  writtenMarkdown,
} from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { objectOperations } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { loadObject, type Resource } from '../operation/resource.ts'
import { checkRow, endsTooEarly, type RowRules } from '../operation/row-rules.ts'
import { schoolCurrency } from '../schools/school.ts'

export const eventFields = {
  slug,
  title: line(300),
  description: markdown().default(''),
  starts_at: time,
  ends_at: time,
  location: text(0, 500).default(''),
  online_url: webAddress.nullable().default(null),
  capacity: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .meta({ description: 'Null means no limit.' })
    .default(null),
  price_amount: amount.default(0),
  currency: currencyOrOwn,
}

interface EventRow {
  readonly starts_at?: string | undefined
  readonly ends_at?: string | undefined
}

export const eventRules: RowRules<EventRow> = [
  {
    field: 'ends_at',
    code: 'inconsistent',
    detail: 'An event must end after it starts.',
    broken: ({ starts_at, ends_at }) => endsTooEarly(starts_at, ends_at),
  },
]

interface RegistrationRow {
  readonly state?: string | undefined
  readonly canceled_at?: string | null | undefined
}

export const registrationRules: RowRules<RegistrationRow> = [
  {
    field: 'canceled_at',
    code: 'inconsistent',
    detail: 'Only a canceled registration has a time at which it was canceled.',
    broken: ({ state, canceled_at }) => canceled_at != null && state !== 'canceled',
  },
]

const STATES = ['draft', 'published', 'canceled'] as const

const eventSchema = z
  .strictObject({
    object: z.literal('event'),
    id,
    ...valueFields(eventFields),
    description: writtenMarkdown,
    online_url: z.string().nullable(),
    starts_at: utc,
    ends_at: utc,
    state: z.enum(STATES),
    registration_count: count.meta({ description: 'Canceled ones are not counted.' }),
    ...stamps,
  })
  .meta({ id: 'Event' })

export const events: Resource<typeof eventSchema> = {
  object: 'event',
  restPath: '/events/{id}',
  schema: eventSchema,
  rows: (db) => sql`
    select e.id, e.slug, e.title, e.description, e.starts_at, e.ends_at, e.location, e.online_url,
      e.capacity, e.price_amount, e.currency, e.state, e.registration_count,
      e.created_at, e.updated_at, e.version
    from events e where e.school_id = ${db.schoolId}`,
}

const ops = objectOperations({
  of: events,
  table: 'events',
  one: 'an event',
  example: EXAMPLE.event,
  fields: eventFields,
  rules: eventRules,
  wrote: keepsText('description'),
})

export const listEvents = listOperation({
  ...ops.listed,
  summary: 'Events in every state, past and upcoming.',
  filters: {
    state: filter(z.enum(STATES), (state) => sql`r.state = ${state}`),
    slug: filter(slug, (value) => sql`r.slug = ${value}`),
    search: searchIn('title', 'slug', 'location'),
    ...timeFilters('starts_at'),
  },
  sorts: { starts_at: 'time', created_at: 'time', title: 'text' },
  defaultSort: '-starts_at',
  examples: [
    {
      title: 'Events after a date',
      input: { starts_after: '2027-01-01T00:00:00Z', sort: 'starts_at' },
    },
  ],
})

export const readEvent = ops.read()

export const createEvent = ops.create({
  summary: 'Creates a draft. Members can register once it is published.',
  examples: [
    {
      title: 'An evening online',
      input: {
        slug: 'open-studio',
        title: 'Open studio',
        starts_at: '2027-02-01T18:00:00Z',
        ends_at: '2027-02-01T20:00:00Z',
        online_url: 'https://meet.example.test/studio',
        capacity: 40,
      },
    },
  ],
  async create(tx, _caller, input) {
    checkRow(eventRules, input)
    return await ops.insert(tx, {
      ...input,
      currency: input.currency ?? (await schoolCurrency(tx)),
    })
  },
})

const change = ops.change({
  examples: [{ title: 'More places', input: { id: EXAMPLE.event, capacity: 60 } }],
})

export const changeEvent: typeof change = {
  ...change,
  summary: `${change.summary} Members who registered are told of another time.`,
  async run(tx, caller, input) {
    const before = input.starts_at && (await loadObject(tx, caller, events, input.id))
    const event = await change.run(tx, caller, input)
    if (before && before.starts_at !== event.starts_at)
      await tellRegistered(tx, 'event_moved', event)
    return event
  },
}

/** Not of one that is over, nor of a draft. */
async function tellRegistered(
  tx: SchoolTx,
  what: 'event_moved' | 'event_canceled',
  { id: event, title, starts_at, ends_at, state }: z.output<typeof eventSchema>,
): Promise<void> {
  if (state === 'draft' || Date.parse(ends_at) <= Date.now()) return
  await tell(tx, what, registeredFor(tx, event), { event: title, starts_at })
}

export const registeredFor = ({ schoolId }: Pick<SchoolDb, 'schoolId'>, event: string) => sql`
  select user_id from event_registrations
  where school_id = ${schoolId} and event_id = ${event} and state = 'registered'`

export const publishEvent = ops.move('publish', {
  summary: 'Opens it for registration.',
  to: { state: 'published' },
})

const cancel = ops.move('cancel', {
  summary: 'Members who registered are told. Their registrations are kept.',
  to: { state: 'canceled' },
})

export const cancelEvent: typeof cancel = {
  ...cancel,
  async run(tx, caller, input) {
    const { state } = await loadObject(tx, caller, events, input.id)
    const event = await cancel.run(tx, caller, input)
    if (state === 'published') await tellRegistered(tx, 'event_canceled', event)
    return event
  },
}

export const removeEvent = ops.remove({
  summary: 'Removes an event without registrations and payments. Cancel all others.',
  examples: [{ title: 'Remove an event', input: { id: EXAMPLE.emptyEvent } }],
  keptBy: [
    {
      table: 'event_registrations',
      column: 'event_id',
      detail: 'Members are or were registered for this event. Cancel it instead.',
    },
    {
      table: 'order_items',
      column: 'event_id',
      detail: 'Places at this event were bought. Cancel it instead.',
    },
  ],
})

export const eventOperations = {
  list: listEvents,
  read: readEvent,
  create: createEvent,
  change: changeEvent,
  publish: publishEvent,
  cancel: cancelEvent,
  remove: removeEvent,
}
