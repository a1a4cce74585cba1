import { z } from 'zod'
import { publicEventsOfThePast, publicEventsToCome } from '../../../domain/events/public-events.ts'
import { nextCursor, readPage } from '../paging.ts'
import { publicTool, READS } from '../tool.ts'
import { amount, currency, excerpt, time } from '../wire-values.ts'
import { pageUrl, restUrl } from './links.ts'
import { itemFields, listInput } from './list-fields.ts'

const item = z.object({
  ...itemFields,
  title: z.string(),
  excerpt: z.string(),
  startsAt: time,
  endsAt: time,
  location: z.string(),
  isOnline: z.boolean(),
  capacity: z.number().int().nullable().describe('null if there is no limit'),
  priceAmount: amount,
  currency,
})

export const listEvents = publicTool({
  name: 'list_events',
  title: 'List events',
  description:
    'The school’s published events: upcoming ones, the next first, or those that are over, the latest first. Reads only.',
  annotations: READS,
  input: z.strictObject({ when: z.enum(['to_come', 'over']).default('to_come'), ...listInput }),
  output: z.object({ events: z.array(item), nextCursor }),
  run: async ({ at, school }, { when, search, ...page }) => {
    const read = when === 'over' ? publicEventsOfThePast : publicEventsToCome
    const found = await readPage(`events ${when}`, page, (range) => read(at, search, range))
    const items = found.rows.map((event) => ({
      id: `event:${event.slug}`,
      slug: event.slug,
      url: pageUrl(school, 'event', event.slug),
      restUrl: restUrl(school, 'event', event.id),
      title: event.title,
      excerpt: excerpt(event.description),
      startsAt: event.startsAt.toISOString(),
      endsAt: event.endsAt.toISOString(),
      location: event.location,
      isOnline: event.isOnline,
      capacity: event.capacity,
      priceAmount: event.priceAmount,
      currency: event.currency,
    }))
    return found.answer(items, (events, nextCursor) => ({ events, nextCursor }))
  },
})
