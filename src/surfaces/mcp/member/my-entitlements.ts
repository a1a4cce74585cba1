import { z } from 'zod'
import { productsOf } from '../../../domain/commerce/bought-access.ts'
import {
  EVENT_STATES,
  REGISTRATION_STATES,
  registrationsOf,
} from '../../../domain/events/registrations-of-member.ts'
import { nextCursor, pageInput, readPage } from '../paging.ts'
import { READS, scopedTool } from '../tool.ts'
import { excerpt, time } from '../wire-values.ts'
import { graphqlLink, linkTo } from './graphql-link.ts'

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
    digitalProducts: z.array(
      z.object({ id: z.string(), slug: z.string(), title: z.string(), excerpt: z.string() }),
    ),
    nextCursor,
    graphql: graphqlLink,
  }),
  run: async ({ at, caller, school }, page) => {
    const found = await readPage('my_products', page, (range) =>
      productsOf(at, caller.person.id, range),
    )
    const items = found.rows.map(({ id, slug, title, description }) => ({
      id,
      slug,
      title,
      excerpt: excerpt(description),
    }))
    const graphql = linkTo(school, '{ viewer { digitalProducts { nodes { id slug title } } } }')
    return found.answer(items, (digitalProducts, nextCursor) => ({
      digitalProducts,
      nextCursor,
      graphql,
    }))
  },
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
    eventRegistrations: z.array(
      z.object({
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
      }),
    ),
    nextCursor,
    graphql: graphqlLink,
  }),
  run: async ({ at, caller, school }, page) => {
    const found = await readPage('my_events', page, (range) =>
      registrationsOf(at, caller.person.id, range),
    )
    const items = found.rows.map(({ id, state, registeredAt, event }) => ({
      id,
      state,
      registeredAt: registeredAt.toISOString(),
      event: {
        slug: event.slug,
        title: event.title,
        state: event.state,
        startsAt: event.startsAt.toISOString(),
        endsAt: event.endsAt.toISOString(),
        location: event.location,
        onlineUrl: event.onlineUrl,
      },
    }))
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
