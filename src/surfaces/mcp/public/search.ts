import { z } from 'zod'
import { searchCatalogue } from '../../../domain/catalogue/search-catalogue.ts'
import { LongAnswer, lengthInput } from '../long-answer.ts'
import { cursorInput, nextCursor } from '../paging.ts'
import { Whole } from '../parts.ts'
import { publicTool, READS } from '../tool.ts'
import { excerpt, words } from '../wire-values.ts'
import { KINDS } from './kinds.ts'
import { pageUrl, restUrl } from './links.ts'
import { itemFields } from './list-fields.ts'

const PER_KIND = 10

/** Hits in the title come before hits in the text; otherwise the order of the kinds stays. */
function titlesFirst<H extends { readonly title: string }>(hits: readonly H[], words: string): H[] {
  const [first = ''] = words.trim().toLowerCase().split(/\s+/)
  const called = (hit: H): boolean => hit.title.toLowerCase().includes(first)
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
    const hits = titlesFirst(await searchCatalogue(at, query, PER_KIND), query)
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
