import { z } from 'zod'
import {
  type PublicWriting,
  publicPages,
  publicPosts,
} from '../../../domain/content/public-writing.ts'
import type { School } from '../../../domain/schools/school.ts'
import { nextCursor, readPage } from '../paging.ts'
import { publicTool, READS } from '../tool.ts'
import { excerpt, time } from '../wire-values.ts'
import { pageUrl, restUrl } from './links.ts'
import { itemFields, listInput } from './list-fields.ts'

const item = z.object({
  ...itemFields,
  title: z.string(),
  excerpt: z.string(),
  publishedAt: time,
})

function writingItem(
  school: School,
  kind: 'post' | 'page',
  { id, slug, title, body, publishedAt }: PublicWriting,
): z.input<typeof item> {
  return {
    id: `${kind}:${slug}`,
    slug,
    url: pageUrl(school, kind, slug),
    restUrl: restUrl(school, kind, id),
    title,
    excerpt: excerpt(body),
    publishedAt: publishedAt.toISOString(),
  }
}

export const listPosts = publicTool({
  name: 'list_posts',
  title: 'List posts',
  description: 'The school’s published posts, newest first; fetch gives a whole one. Reads only.',
  annotations: READS,
  input: z.strictObject(listInput),
  output: z.object({ posts: z.array(item), nextCursor }),
  run: async ({ at, school }, { search, ...page }) => {
    const found = await readPage('posts', page, (range) => publicPosts(at, search, range))
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
  output: z.object({ pages: z.array(item), nextCursor }),
  run: async ({ at, school }, { search, ...page }) => {
    const found = await readPage('pages', page, (range) => publicPages(at, search, range))
    const items = found.rows.map((row) => writingItem(school, 'page', row))
    return found.answer(items, (pages, nextCursor) => ({ pages, nextCursor }))
  },
})
