import {
  changePage,
  changePost,
  createPage,
  createPost,
  listPages,
  listPosts,
  publishPage,
  publishPost,
  readPage,
  readPost,
  removePage,
  removePost,
  unpublishPage,
  unpublishPost,
} from '../../../../../domain/content/writing-operations.ts'
import type { ReadOperation, WriteOperation } from '../../../../../domain/operation.ts'
import type { Action, AdminResource, Choice, FormField, ListPlan } from '../resource.ts'
import { textOf } from '../resource.ts'
import { address, moment, number, state, text } from '../views/cells.tsx'
import { slugFrom } from './slug-field.ts'

const fields: readonly FormField[] = [
  { name: 'title', label: 'Title' },
  slugFrom('title'),
  {
    name: 'body',
    label: 'Text',
    kind: 'markdown',
    rows: 20,
    hint: 'Markdown: # for headings, * for lists, [words](https://…) for links. Save to see it as readers will.',
  },
  {
    name: 'position',
    label: 'Place in the list of pages',
    hint: 'Lower numbers come first.',
  },
]

const listOf = (operation: ReadOperation, ...sorts: readonly Choice[]): ListPlan => ({
  operation,
  searchHint: 'Words in title, address or text',
  filters: [{ name: 'state', label: 'State' }],
  sorts,
})

interface Moves {
  readonly publish: WriteOperation
  readonly unpublish: WriteOperation
  readonly remove: WriteOperation
}

const actionsFor = (one: string, { publish, unpublish, remove }: Moves): readonly Action[] => [
  {
    path: 'publish',
    label: 'Publish',
    operation: publish,
    question: `Publish this ${one}?`,
    consequence: 'Everybody can read it from then on.',
    done: `The ${one} is published.`,
    when: (object) => object.state === 'draft',
  },
  {
    path: 'unpublish',
    label: 'Unpublish',
    operation: unpublish,
    question: `Take this ${one} off the site?`,
    consequence: 'It becomes a draft again, which only owners and admins see.',
    done: `The ${one} is a draft again.`,
    when: (object) => object.state === 'published',
  },
  {
    path: 'delete',
    label: 'Delete',
    operation: remove,
    question: `Delete this ${one}?`,
    consequence: 'It is gone for good, and so is its text.',
    done: `The ${one} is gone.`,
    tone: 'danger',
  },
]

export const posts: AdminResource = {
  path: 'posts',
  one: 'post',
  many: 'Posts',
  lead: 'News and articles, newest first on the site.',
  list: listOf(
    listPosts,
    ['-created_at', 'Newest first'],
    ['created_at', 'Oldest first'],
    ['-updated_at', 'Last changed'],
    ['title', 'Title, A to Z'],
    ['-title', 'Title, Z to A'],
  ),
  read: readPost,
  name: (post) => textOf(post, 'title'),
  badges: state(),
  columns: [
    { label: 'Title', show: text('title'), sort: 'title' },
    { label: 'State', show: state() },
    { label: 'Published', show: moment('published_at') },
    { label: 'Created', show: moment('created_at'), sort: 'created_at' },
  ],
  facts: [
    { label: 'Address', show: address('slug') },
    { label: 'Published', show: moment('published_at') },
    { label: 'Created', show: moment('created_at') },
    { label: 'Last changed', show: moment('updated_at') },
  ],
  markdown: { title: 'As readers see it', member: 'body' },
  fields,
  create: createPost,
  change: changePost,
  actions: actionsFor('post', {
    publish: publishPost,
    unpublish: unpublishPost,
    remove: removePost,
  }),
  links: (post) =>
    post.state === 'published'
      ? [{ url: `/posts/${textOf(post, 'slug')}`, label: 'See it on the site' }]
      : [],
}

export const pages: AdminResource = {
  path: 'pages',
  one: 'page',
  many: 'Pages',
  lead: 'Standing pages, such as who you are and how to reach you.',
  list: listOf(
    listPages,
    ['position', 'As on the site'],
    ['-created_at', 'Newest first'],
    ['title', 'Title, A to Z'],
    ['-title', 'Title, Z to A'],
  ),
  read: readPage,
  name: (page) => textOf(page, 'title'),
  badges: state(),
  columns: [
    { label: 'Title', show: text('title'), sort: 'title' },
    { label: 'State', show: state() },
    { label: 'Place', show: number('position') },
    { label: 'Last changed', show: moment('updated_at') },
  ],
  facts: [
    { label: 'Address', show: address('slug') },
    { label: 'Place in the list of pages', show: number('position') },
    { label: 'Published', show: moment('published_at') },
    { label: 'Last changed', show: moment('updated_at') },
  ],
  markdown: { title: 'As readers see it', member: 'body' },
  fields,
  create: createPage,
  change: changePage,
  actions: actionsFor('page', {
    publish: publishPage,
    unpublish: unpublishPage,
    remove: removePage,
  }),
  links: (page) =>
    page.state === 'published'
      ? [{ url: `/pages/${textOf(page, 'slug')}`, label: 'See it on the site' }]
      : [],
}
