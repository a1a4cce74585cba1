import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { id, line, markdown, slug, stamps, utc, writtenMarkdown } from '../operation/fields.ts'
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
import { writing } from '../operation/writing.ts'
import { keepRendered } from './rendered-texts.ts'

const STATES = ['draft', 'published'] as const

export const writingFields = { slug, title: line(300), body: markdown() }
const published = { state: z.enum(STATES), published_at: utc.nullable(), ...stamps }

const postSchema = z
  .strictObject({
    object: z.literal('post'),
    id,
    ...writingFields,
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

export const position = z.int().min(-1_000_000).max(1_000_000)

const pageSchema = z
  .strictObject({
    object: z.literal('page'),
    id,
    ...writingFields,
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

export const listPosts = listOperation({
  name: 'posts.list',
  title: 'List posts',
  summary: 'Dated articles, drafts included.',
  scopes: ['posts:read'],
  of: posts,
  filters,
  sorts: { created_at: 'time', updated_at: 'time', title: 'text' },
  defaultSort: '-created_at',
})

export const listPages = listOperation({
  name: 'pages.list',
  title: 'List pages',
  summary: 'Pages of the school’s site, drafts included.',
  scopes: ['pages:read'],
  of: pages,
  filters,
  sorts: { position: 'number', created_at: 'time', title: 'text' },
  defaultSort: 'position',
})

export const createPost = createOperation({
  name: 'posts.create',
  title: 'Create a post',
  summary: 'Creates a draft; its author is the person who authorized the app.',
  scopes: ['posts:write'],
  of: posts,
  fields: { ...writingFields, body: writingFields.body.default('') },
  examples: [
    {
      title: 'A short post',
      input: { slug: 'new-term', title: 'The new term', body: 'It begins in *March*.' },
    },
  ],
  async create(tx, caller, columns) {
    const made = uuidv7()
    await tx.insert('posts', { ...columns, id: made, author_id: caller.userId }).execute()
    await keepRendered(tx, [{ id: made, text: columns.body }])
    return made
  },
})

export const createPage = createOperation({
  name: 'pages.create',
  title: 'Create a page',
  summary: 'Creates a draft of a page.',
  scopes: ['pages:write'],
  of: pages,
  fields: { ...writingFields, body: writingFields.body.default(''), position: position.default(0) },
  examples: [{ title: 'A page', input: { slug: 'about', title: 'About us', position: 1 } }],
  async create(tx, _caller, columns) {
    const made = uuidv7()
    await tx.insert('pages', { ...columns, id: made }).execute()
    await keepRendered(tx, [{ id: made, text: columns.body }])
    return made
  },
})

const target = (object: string, id: string, ifVersion: number | undefined) => ({
  object,
  key: { id },
  ifVersion,
})

export const changePost = changeOperation({
  name: 'posts.change',
  title: 'Change a post',
  summary: 'Changes the given fields; all others stay unchanged.',
  scopes: ['posts:write'],
  of: posts,
  fields: z.object(writingFields).partial().shape,
  examples: [{ title: 'Another title', input: { id: EXAMPLE.post, title: 'News' } }],
  async change(tx, _caller, { id: post, if_version, ...columns }) {
    await writing(tx).update('posts', target('post', post, if_version), columns)
    const { body: text } = columns
    if (text !== undefined) await keepRendered(tx, [{ id: post, text }])
  },
})

export const changePage = changeOperation({
  name: 'pages.change',
  title: 'Change a page',
  summary: 'Changes the given fields; all others stay unchanged.',
  scopes: ['pages:write'],
  of: pages,
  fields: z.object({ ...writingFields, position }).partial().shape,
  examples: [{ title: 'Another position', input: { id: EXAMPLE.page, position: 3 } }],
  async change(tx, _caller, { id: page, if_version, ...columns }) {
    await writing(tx).update('pages', target('page', page, if_version), columns)
    const { body: text } = columns
    if (text !== undefined) await keepRendered(tx, [{ id: page, text }])
  },
})

interface Writing<S extends z.ZodObject> {
  readonly table: 'posts' | 'pages'
  readonly object: string
  readonly of: Resource<S>
  readonly example: string
}

const POSTS = { table: 'posts', object: 'post', of: posts, example: EXAMPLE.post } as const
const PAGES = { table: 'pages', object: 'page', of: pages, example: EXAMPLE.page } as const

const readOf = <S extends z.ZodObject>({ table, object, of, example }: Writing<S>) =>
  readOperation({
    name: `${table}.read`,
    title: `Read a ${object}`,
    summary: `One ${object} by its id.`,
    scopes: [`${table}:read`],
    of,
    examples: [{ title: `A ${object}`, input: { id: example } }],
  })

const publishOf = <S extends z.ZodObject>({ table, object, of, example }: Writing<S>) =>
  changeOperation({
    name: `${table}.publish`,
    title: `Publish a ${object}`,
    summary: `Makes the ${object} public. Doing it again changes nothing.`,
    scopes: [`${table}:write`],
    of,
    fields: {},
    examples: [{ title: `Publish a ${object}`, input: { id: example } }],
    async change(tx, _caller, { id: it, if_version }) {
      const columns = { state: 'published', published_at: sql`coalesce(published_at, now())` }
      await writing(tx).update(table, target(object, it, if_version), columns)
    },
  })

const unpublishOf = <S extends z.ZodObject>({ table, object, of, example }: Writing<S>) =>
  changeOperation({
    name: `${table}.unpublish`,
    title: `Unpublish a ${object}`,
    summary: `Makes the ${object} a draft again.`,
    scopes: [`${table}:write`],
    of,
    fields: {},
    examples: [{ title: `Unpublish a ${object}`, input: { id: example } }],
    async change(tx, _caller, { id: it, if_version }) {
      await writing(tx).update(table, target(object, it, if_version), { state: 'draft' })
    },
  })

const removeOf = <S extends z.ZodObject>({ table, object, of, example }: Writing<S>) =>
  removeOperation({
    name: `${table}.remove`,
    title: `Remove a ${object}`,
    summary: `Removes the ${object} permanently.`,
    scopes: [`${table}:write`],
    of,
    examples: [{ title: `Remove a ${object}`, input: { id: example } }],
    async remove(tx, _caller, { id: it, if_version }) {
      await writing(tx).delete(table, target(object, it, if_version))
    },
  })

export const readPost = readOf(POSTS)
export const publishPost = publishOf(POSTS)
export const unpublishPost = unpublishOf(POSTS)
export const removePost = removeOf(POSTS)
export const readPage = readOf(PAGES)
export const publishPage = publishOf(PAGES)
export const unpublishPage = unpublishOf(PAGES)
export const removePage = removeOf(PAGES)

export const postOperations = {
  list: listPosts,
  read: readPost,
  create: createPost,
  change: changePost,
  publish: publishPost,
  unpublish: unpublishPost,
  remove: removePost,
}

export const pageOperations = {
  list: listPages,
  read: readPage,
  create: createPage,
  change: changePage,
  publish: publishPage,
  unpublish: unpublishPage,
  remove: removePage,
}
