import { sql } from 'kysely'
import { z } from 'zod'
import {
  id,
  line,
  markdown,
  slug,
  stamps,
  utc,
  valueFields,
  writtenMarkdown,
} from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { objectOperations } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import type { Resource } from '../operation/resource.ts'
import { keepsText } from './rendered-texts.ts'

const STATES = ['draft', 'published'] as const

export const writingFields = { slug, title: line(300), body: markdown().default('') }
const published = { state: z.enum(STATES), published_at: utc.nullable(), ...stamps }

const postSchema = z
  .strictObject({
    object: z.literal('post'),
    id,
    ...valueFields(writingFields),
    body: writtenMarkdown,
    author_id: id.nullable(),
    ...published,
  })
  .meta({ id: 'Post' })

export const posts: Resource<typeof postSchema> = {
  object: 'post',
  restPath: '/posts/{id}',
  schema: postSchema,
  rows: (db) => sql`
    select p.id, p.slug, p.title, p.body, p.author_id, p.state, p.published_at, p.created_at,
      p.updated_at, p.version
    from posts p where p.school_id = ${db.schoolId}`,
}

const position = z.int().min(-1_000_000).max(1_000_000)
export const pageFields = { ...writingFields, position: position.default(0) }

const pageSchema = z
  .strictObject({
    object: z.literal('page'),
    id,
    ...valueFields(writingFields),
    body: writtenMarkdown,
    position,
    ...published,
  })
  .meta({ id: 'Page' })

export const pages: Resource<typeof pageSchema> = {
  object: 'page',
  restPath: '/pages/{id}',
  schema: pageSchema,
  rows: (db) => sql`
    select p.id, p.slug, p.title, p.body, p.position, p.state, p.published_at, p.created_at,
      p.updated_at, p.version
    from pages p where p.school_id = ${db.schoolId}`,
}

const filters = {
  state: filter(z.enum(STATES), (state) => sql`r.state = ${state}`),
  slug: filter(slug, (value) => sql`r.slug = ${value}`),
  search: searchIn(['title', 'body'], { code: 'slug' }),
  ...timeFilters('created_at'),
}

const postOps = objectOperations({
  of: posts,
  table: 'posts',
  one: 'a post',
  example: EXAMPLE.post,
  fields: writingFields,
  wrote: keepsText('body'),
})

const pageOps = objectOperations({
  of: pages,
  table: 'pages',
  one: 'a page',
  example: EXAMPLE.page,
  fields: pageFields,
  wrote: keepsText('body'),
})

export const listPosts = listOperation({
  ...postOps.listed,
  summary: 'Dated articles, drafts included.',
  filters,
  sorts: { created_at: 'time', updated_at: 'time', title: 'text' },
  defaultSort: '-created_at',
})

export const listPages = listOperation({
  ...pageOps.listed,
  summary: 'Pages of the school’s site, drafts included.',
  filters,
  sorts: { position: 'number', created_at: 'time', title: 'text' },
  defaultSort: 'position',
})

const moves = {
  publish: { state: 'published', published_at: sql`coalesce(published_at, now())` },
  unpublish: { state: 'draft' },
}

export const postOperations = {
  list: listPosts,
  read: postOps.read(),
  create: postOps.create({
    summary: 'Creates a draft; its author is the person who authorized the app.',
    examples: [
      {
        title: 'A short post',
        input: { slug: 'new-term', title: 'The new term', body: 'It begins in *March*.' },
      },
    ],
    create: (tx, { userId }, columns) => postOps.insert(tx, { ...columns, author_id: userId }),
  }),
  change: postOps.change({
    examples: [{ title: 'Another title', input: { id: EXAMPLE.post, title: 'News' } }],
  }),
  publish: postOps.move('publish', {
    summary: 'Makes the post public. Doing it again changes nothing.',
    to: moves.publish,
  }),
  unpublish: postOps.move('unpublish', {
    summary: 'Makes the post a draft again.',
    to: moves.unpublish,
  }),
  remove: postOps.remove({ summary: 'Removes the post permanently.' }),
}

export const pageOperations = {
  list: listPages,
  read: pageOps.read(),
  create: pageOps.create({
    summary: 'Creates a draft of a page.',
    examples: [{ title: 'A page', input: { slug: 'about', title: 'About us', position: 1 } }],
  }),
  change: pageOps.change({
    examples: [{ title: 'Another position', input: { id: EXAMPLE.page, position: 3 } }],
  }),
  publish: pageOps.move('publish', {
    summary: 'Makes the page public. Doing it again changes nothing.',
    to: moves.publish,
  }),
  unpublish: pageOps.move('unpublish', {
    summary: 'Makes the page a draft again.',
    to: moves.unpublish,
  }),
  remove: pageOps.remove({ summary: 'Removes the page permanently.' }),
}
