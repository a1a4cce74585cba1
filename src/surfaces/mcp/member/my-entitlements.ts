import { z } from 'zod'
import { productsOf } from '../../../domain/commerce/bought-access.ts'
import {
  attendeesOf,
  MEETING_KINDS,
  MEETING_STATES,
  meetingsToCome,
  pastMeetings,
  wholeSeconds,
} from '../../../domain/consulting/meetings-of-member.ts'
import {
  EVENT_STATES,
  REGISTRATION_STATES,
  registrationsOf,
} from '../../../domain/events/registrations-of-member.ts'
import { nextCursor, pageInput, readPage } from '../paging.ts'
import { excerpt, inShape, onNewerOrigins, READS, scopedTool, time } from '../tool.ts'
import { graphqlLink, linkTo } from './graphql-link.ts'

const product = z.object({
  id: z.string(),
  slug: z.string(),
  title: z.string(),
  excerpt: z.string(),
})

export const myDigitalProducts = scopedTool({
  name: 'my_digital_products',
  title: 'My digital products',
  description:
    'The downloads that the signed-in person has, latest first. What they paid for them is in the payments. Reads only.',
  annotations: READS,
  scopes: ['account:read'],
  about: 'digital_products',
  input: z.strictObject(pageInput),
  output: z.object({
    digitalProducts: z.array(product),
    nextCursor,
    graphql: graphqlLink,
  }),
  run: async ({ db, caller, school }, page) => {
    const found = await readPage('my_products', page, (range) =>
      productsOf(db, caller.person.id, range),
    )
    const items = found.rows.map((row) =>
      inShape(product, { ...row, excerpt: excerpt(row.description) }),
    )
    const graphql = linkTo(school, '{ viewer { digitalProducts { nodes { id slug title } } } }')
    return found.answer(items, (digitalProducts, nextCursor) => ({
      digitalProducts,
      nextCursor,
      graphql,
    }))
  },
})

const registration = z.object({
  id: z.string(),
  state: z.enum(REGISTRATION_STATES),
  registeredAt: time,
  event: z.object({
    slug: z.string(),
    title: z.string(),
    state: z.enum(EVENT_STATES),
    startsAt: time,
    endsAt: time,
    location: z.string(),
    onlineUrl: z.string().nullable(),
  }),
})

export const myEventRegistrations = scopedTool({
  name: 'my_event_registrations',
  title: 'My events',
  description:
    'The events that the signed-in person has a place at, latest registration first, with the address to join online. Reads only.',
  annotations: READS,
  scopes: ['account:read'],
  about: 'events',
  input: z.strictObject(pageInput),
  output: z.object({
    eventRegistrations: z.array(registration),
    nextCursor,
    graphql: graphqlLink,
  }),
  run: async ({ db, caller, school }, page) => {
    const found = await readPage('my_events', page, (range) =>
      registrationsOf(db, caller.person.id, range),
    )
    const items = found.rows.map((row) => inShape(registration, row))
    const graphql = linkTo(
      school,
      '{ viewer { eventRegistrations { nodes { id state registeredAt event { slug title startsAt endsAt location onlineUrl } } } } }',
    )
    return found.answer(items, (eventRegistrations, nextCursor) => ({
      eventRegistrations,
      nextCursor,
      graphql,
    }))
  },
})

const meeting = z.object({
  id: z.string(),
  title: z.string(),
  kind: z.enum(MEETING_KINDS),
  state: z.enum(MEETING_STATES),
  startedAt: time,
  endedAt: time,
  roomUrl: z.string().describe('where to join; empty once it is over or canceled'),
  attendeesCount: z.number().int().describe('how many members attend'),
})

export const mySchedule = scopedTool({
  name: 'my_schedule',
  title: 'My schedule',
  description:
    'The meetings of the signed-in person, booked seats and classes of their study groups: those that have not ended, the next or running one first, or past ones, the latest first. Reads only; booking is not possible here.',
  annotations: READS,
  scopes: ['account:read'],
  about: 'bookings',
  existsAt: onNewerOrigins,
  input: z.strictObject({
    when: z.enum(['to_come', 'past']).default('to_come'),
    includeCanceled: z.boolean().default(false),
    ...pageInput,
  }),
  output: z.object({ meetings: z.array(meeting), nextCursor, graphql: graphqlLink }),
  run: async (call, { when, includeCanceled, ...page }) => {
    const states = MEETING_STATES.filter((state) => includeCanceled || state !== 'canceled')
    const now = new Date()
    const read = when === 'to_come' ? meetingsToCome : pastMeetings
    const found = await readPage(`my_schedule ${when}`, page, (range) =>
      read(call.db, call.caller.person.id, { states, now }, range),
    )
    const attendees = await attendeesOf(
      call.db,
      found.rows.map(({ id }) => id),
    )
    const side = when === 'to_come' ? 'endedAfter' : 'endedBefore'
    const query = `{ viewer { consultingMeetings(filter: { ${side}: ${wholeSeconds(now)}, state: [${states.join(', ')}] }, ${when === 'to_come' ? 'last' : 'first'}: ${page.limit}) { nodes { id title kind state startedAt endedAt roomUrl attendeesCount } } } }`
    const items = found.rows.map((row) =>
      inShape(meeting, { ...row, attendeesCount: attendees.get(row.id) ?? 0 }),
    )
    const graphql = linkTo(call.school, query)
    return found.answer(items, (meetings, nextCursor) => ({ meetings, nextCursor, graphql }))
  },
})
