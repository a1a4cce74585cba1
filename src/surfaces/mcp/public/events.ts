import { z } from 'zod'
import {
  type PublicWriting,
  publicPages,
  publicPosts,
} from '../../../domain/content/public-writing.ts'
import { publicEventsOfThePast, publicEventsToCome } from '../../../domain/events/public-events.ts'
import type { School } from '../../../domain/schools/school.ts'
import { nextCursor, readPage } from '../paging.ts'
import { amount, currency, excerpt, inShape, publicTool, READS, time } from '../tool.ts'
import { itemFields, itemOf, listInput } from './links.ts'

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
  run: async ({ db, school }, { when, search, ...page }) => {
    const read = when === 'over' ? publicEventsOfThePast : publicEventsToCome
    const found = await readPage(`events ${when}`, page, (range) => read(db, search, range))
    const items = found.rows.map((event) =>
      inShape(item, {
        ...event,
        ...itemOf(school, 'event', event),
        excerpt: excerpt(event.description),
      }),
    )
    return found.answer(items, (events, nextCursor) => ({ events, nextCursor }))
  },
})

const writingShape = z.object({
  ...itemFields,
  title: z.string(),
  excerpt: z.string(),
  publishedAt: time,
})

function writingItem(
  school: School,
  kind: 'post' | 'page',
  row: PublicWriting,
): z.input<typeof writingShape> {
  return inShape(writingShape, {
    ...row,
    ...itemOf(school, kind, row),
    excerpt: excerpt(row.body),
  })
}

export const listPosts = publicTool({
  name: 'list_posts',
  title: 'List posts',
  description: 'The school’s published posts, newest first; fetch gives a whole one. Reads only.',
  annotations: READS,
  input: z.strictObject(listInput),
  output: z.object({ posts: z.array(writingShape), nextCursor }),
  run: async ({ db, school }, { search, ...page }) => {
    const found = await readPage('posts', page, (range) => publicPosts(db, search, range))
    const items = found.rows.map((row) => writingItem(school, 'post', row))
    return found.answer(items, (posts, nextCursor) => ({ posts, nextCursor }))
  },
})

export const listPages = publicTool({
  name: 'list_pages',
  title: 'List pages',
  description:
    'The pages of the school’s site, such as its terms or its story, newest first; fetch gives a whole one. Reads only.',
  annotations: READS,
  input: z.strictObject(listInput),
  output: z.object({ pages: z.array(writingShape), nextCursor }),
  run: async ({ db, school }, { search, ...page }) => {
    const found = await readPage('pages', page, (range) => publicPages(db, search, range))
    const items = found.rows.map((row) => writingItem(school, 'page', row))
    return found.answer(items, (pages, nextCursor) => ({ pages, nextCursor }))
  },
})
