import { z } from 'zod'
import { publicPlans } from '../../../domain/commerce/public-plans.ts'
import { publicProducts } from '../../../domain/commerce/public-products.ts'
import { publicPages, publicPosts } from '../../../domain/content/public-writing.ts'
import { publicEventsToCome } from '../../../domain/events/public-events.ts'
import { publicCourses } from '../../../domain/learning/public-courses.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { LongAnswer, lengthInput } from '../long-answer.ts'
import { cursorInput, nextCursor } from '../paging.ts'
import { Whole } from '../parts.ts'
import { publicTool, READS } from '../tool.ts'
import { excerpt, words } from '../wire-values.ts'
import { KINDS, type Kind } from './kinds.ts'
import { pageUrl, restUrl } from './links.ts'
import { itemFields } from './list-fields.ts'

const PER_KIND = 10

interface Hit {
  readonly kind: Kind
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly text: string
}

/** All public objects that contain every word; six small reads at the same time. */
async function searchCatalogue(at: SchoolDb, words: string): Promise<Hit[]> {
  const range = { limit: PER_KIND, fromEnd: false }
  const found = await Promise.all([
    publicCourses(at, words, range).then((rows) =>
      rows.map((row): Hit => ({ ...row, kind: 'course', text: row.summary })),
    ),
    publicEventsToCome(at, words, range).then((rows) =>
      rows.map((row): Hit => ({ ...row, kind: 'event', text: row.description })),
    ),
    publicPlans(at, words, range).then((rows) =>
      rows.map(
        ({ name, ...row }): Hit => ({
          ...row,
          title: name,
          kind: 'membership_plan',
          text: row.description,
        }),
      ),
    ),
    publicProducts(at, words, range).then((rows) =>
      rows.map((row): Hit => ({ ...row, kind: 'digital_product', text: row.description })),
    ),
    publicPosts(at, words, range).then((rows) =>
      rows.map((row): Hit => ({ ...row, kind: 'post', text: row.body })),
    ),
    publicPages(at, words, range).then((rows) =>
      rows.map((row): Hit => ({ ...row, kind: 'page', text: row.body })),
    ),
  ])
  const hits = found.flat()
  // Hits in the title come before hits in the text; otherwise the order of the kinds stays.
  const [first = ''] = words.toLowerCase().split(/\s+/)
  const called = (hit: Hit): boolean => hit.title.toLowerCase().includes(first)
  return [...hits.filter(called), ...hits.filter((hit) => !called(hit))]
}

export const search = publicTool({
  name: 'search',
  title: 'Search the school',
  description:
    'Finds published courses, upcoming events, membership plans, digital products, posts and pages that contain every word, at most ten of each kind. The lists find more; fetch gives the whole text of a hit. Reads only.',
  annotations: READS,
  input: z.strictObject({
    query: words(200).regex(/\S/, 'name something to look for').describe('words to look for'),
    cursor: cursorInput,
    ...lengthInput,
  }),
  output: z.object({
    results: z.array(
      z.object({
        id: z.string().describe('what the tool fetch takes'),
        title: z.string(),
        url: z.string(),
        restUrl: itemFields.restUrl,
        kind: z.enum(KINDS),
        excerpt: z.string(),
      }),
    ),
    nextCursor,
  }),
  run: async ({ at, school }, { query, cursor, max_characters }) => {
    const hits = await searchCatalogue(at, query)
    const whole = new Whole(`search ${query}`, hits.map(({ id }) => id).join(), hits.length)
    const from = whole.placeOf(cursor)
    const results = hits.slice(from).map(({ kind, id, slug, title, text }) => ({
      id: `${kind}:${slug}`,
      title,
      url: pageUrl(school, kind, slug),
      restUrl: restUrl(school, kind, id),
      kind,
      excerpt: excerpt(text, 200),
    }))
    return new LongAnswer({
      max: max_characters,
      count: results.length,
      write: (count) => ({
        results: results.slice(0, count),
        nextCursor: whole.cursorAt(from + count),
      }),
    })
  },
})
