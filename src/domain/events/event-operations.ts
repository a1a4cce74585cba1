import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { keepRendered } from '../content/rendered-texts.ts'
import {
  amount,
  count,
  currency,
  id,
  line,
  markdown,
  slug,
  stamps,
  text,
  time,
  utc,
  webAddress,
  writtenMarkdown,
} from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import {
  changeOperation,
  createOperation,
  readOperation,
  removeOperation,
} from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import type { Resource } from '../operation/resource.ts'
import { checkChange, checkRow, endsTooEarly, type RowRules } from '../operation/row-rules.ts'
import { writing } from '../operation/writing.ts'
import { schoolCurrency } from '../schools/school.ts'

export const eventFields = {
  slug,
  title: line(300),
  description: markdown(),
  starts_at: time,
  ends_at: time,
  location: text(0, 500),
  online_url: webAddress.nullable(),
  capacity: z.int().min(1).max(1_000_000).nullable().meta({ description: 'Null means no limit.' }),
  price_amount: amount,
  currency,
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

const READ = ['events:read']
const WRITE = ['events:write']
const STATES = ['draft', 'published', 'canceled'] as const

const eventSchema = z
  .strictObject({
    object: z.literal('event'),
    id,
    ...eventFields,
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

export const listEvents = listOperation({
  name: 'events.list',
  title: 'List events',
  summary: 'Events in every state, past and upcoming.',
  scopes: READ,
  of: events,
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

export const readEvent = readOperation({
  name: 'events.read',
  title: 'Read an event',
  summary: 'One event by its id.',
  scopes: READ,
  of: events,
  examples: [{ title: 'An event', input: { id: EXAMPLE.event } }],
})

export const createEvent = createOperation({
  name: 'events.create',
  title: 'Create an event',
  summary: 'Creates a draft. Members can register once it is published.',
  scopes: WRITE,
  of: events,
  fields: {
    slug: eventFields.slug,
    title: eventFields.title,
    description: eventFields.description.default(''),
    starts_at: eventFields.starts_at,
    ends_at: eventFields.ends_at,
    location: eventFields.location.default(''),
    online_url: eventFields.online_url.default(null),
    capacity: eventFields.capacity.default(null),
    price_amount: eventFields.price_amount.default(0),
    currency: eventFields.currency
      .optional()
      .meta({ description: 'The school’s currency if left out.' }),
  },
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
    const { currency: given, starts_at, ends_at, ...columns } = input
    const made = uuidv7()
    const own = await schoolCurrency(tx)
    const times = { starts_at: new Date(starts_at), ends_at: new Date(ends_at) }
    const row = { ...columns, ...times, id: made, currency: given ?? own }
    await tx.insert('events', row).execute()
    await keepRendered(tx, [{ id: made, text: columns.description }])
    return made
  },
})

const target = (event: string, ifVersion: number | undefined) => ({
  object: 'event',
  key: { id: event },
  ifVersion,
})

export const changeEvent = changeOperation({
  name: 'events.change',
  title: 'Change an event',
  summary: 'Changes the given fields; all others stay unchanged.',
  scopes: WRITE,
  of: events,
  fields: z.object(eventFields).partial().shape,
  examples: [{ title: 'More places', input: { id: EXAMPLE.event, capacity: 60 } }],
  async change(tx, caller, { id: event, if_version, ...columns }) {
    const row = ['events', target(event, if_version)] as const
    await checkChange(tx, caller, events, eventRules, row, columns)
    await writing(tx).update(...row, columns)
    const { description: text } = columns
    if (text !== undefined) await keepRendered(tx, [{ id: event, text }])
  },
})

const moveTo = (state: 'published' | 'canceled', title: string, summary: string) =>
  changeOperation({
    name: `events.${state === 'published' ? 'publish' : 'cancel'}`,
    title,
    summary,
    scopes: WRITE,
    of: events,
    fields: {},
    examples: [{ title, input: { id: EXAMPLE.event } }],
    async change(tx, _caller, { id: event, if_version }) {
      await writing(tx).update('events', target(event, if_version), { state })
    },
  })

export const publishEvent = moveTo('published', 'Publish an event', 'Opens it for registration.')
export const cancelEvent = moveTo(
  'canceled',
  'Cancel an event',
  'Registrations are kept, so that the school can inform the members.',
)

export const removeEvent = removeOperation({
  name: 'events.remove',
  title: 'Remove an event',
  summary: 'Removes an event without registrations and payments. Cancel all others.',
  scopes: WRITE,
  of: events,
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
  async remove(tx, _caller, { id: event, if_version }) {
    await writing(tx).delete('events', target(event, if_version))
  },
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
