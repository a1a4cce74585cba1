import {
  listPages,
  listPosts,
  pageOperations,
  postOperations,
} from '../../../../domain/content/writing-operations.ts'
import type { WriteOperation } from '../../../../domain/operation/operation.ts'
import { listPlan } from '../crud/list-plan.ts'
import { address, moment, number, state, text } from '../crud/object-table.tsx'
import { type Action, defineResource } from '../crud/resource.ts'
import { siteLink, slugFrom } from './site-link.ts'

const fields = [
  { name: 'title', label: 'Title' },
  slugFrom('title'),
  {
    name: 'body',
    label: 'Text',
    kind: 'markdown',
    rows: 20,
    hint: 'Markdown: # for headings, * for lists, [words](https://…) for links. Save to see it as readers will.',
  },
] as const

interface Writing {
  readonly state: 'draft' | 'published'
}

interface Moves {
  readonly publish: WriteOperation
  readonly unpublish: WriteOperation
  readonly remove: WriteOperation
}

const actionsFor = (
  one: string,
  { publish, unpublish, remove }: Moves,
): readonly Action<Writing>[] => [
  {
    path: 'publish',
    label: 'Publish',
    does: publish,
    question: `Publish this ${one}?`,
    consequence: 'Everybody can read it from then on.',
    consequenceOfMany: 'Everybody can read them from then on.',
    done: `The ${one} is published.`,
    when: (object) => object.state === 'draft',
  },
  {
    path: 'unpublish',
    label: 'Unpublish',
    does: unpublish,
    question: `Unpublish this ${one}?`,
    consequence: 'It becomes a draft again, which only owners and admins see.',
    consequenceOfMany: 'They become drafts again, which only owners and admins see.',
    done: `The ${one} is a draft again.`,
    when: (object) => object.state === 'published',
  },
  {
    path: 'delete',
    label: 'Delete',
    does: remove,
    question: `Delete this ${one}?`,
    consequence: 'It is deleted for good, with its text.',
    consequenceOfMany: 'They are deleted for good, with their texts.',
    done: `The ${one} is deleted.`,
    tone: 'danger',
  },
]

export const posts = defineResource({
  path: 'posts',
  one: 'post',
  many: 'Posts',
  lead: 'News and articles, newest first on the site.',
  list: listPlan({
    operation: listPosts,
    columns: [
      { label: 'Title', show: text('title'), sort: 'title' },
      { label: 'State', show: state('state') },
      { label: 'Published', show: moment('published_at') },
      { label: 'Created', show: moment('created_at'), sort: 'created_at' },
    ],
    searchHint: 'Words in title, address or text',
    filters: [{ name: 'state', label: 'State' }],
    sorts: ['-created_at', 'created_at', '-updated_at', 'title', '-title'],
  }),
  read: postOperations.read,
  name: (post) => post.title,
  badges: state('state'),
  facts: [
    { label: 'Address', show: address('slug') },
    { label: 'Published', show: moment('published_at') },
    { label: 'Created', show: moment('created_at') },
    { label: 'Last changed', show: moment('updated_at') },
  ],
  markdown: { title: 'As readers see it', member: 'body', isKept: true },
  fields,
  create: postOperations.create,
  change: postOperations.change,
  actions: actionsFor('post', {
    publish: postOperations.publish,
    unpublish: postOperations.unpublish,
    remove: postOperations.remove,
  }),
  links: (post) => [siteLink('posts', post)],
})

export const pages = defineResource({
  path: 'pages',
  one: 'page',
  many: 'Pages',
  lead: 'Standing pages, such as who you are and how to reach you.',
  list: listPlan({
    operation: listPages,
    columns: [
      { label: 'Title', show: text('title'), sort: 'title' },
      { label: 'State', show: state('state') },
      { label: 'Place', show: number('position') },
      { label: 'Last changed', show: moment('updated_at') },
    ],
    searchHint: 'Words in title, address or text',
    filters: [{ name: 'state', label: 'State' }],
    sorts: [['position', 'As on the site'], '-created_at', 'title', '-title'],
  }),
  read: pageOperations.read,
  name: (page) => page.title,
  badges: state('state'),
  facts: [
    { label: 'Address', show: address('slug') },
    { label: 'Place in the list of pages', show: number('position') },
    { label: 'Published', show: moment('published_at') },
    { label: 'Last changed', show: moment('updated_at') },
  ],
  markdown: { title: 'As readers see it', member: 'body', isKept: true },
  fields: [
    ...fields,
    {
      name: 'position',
      label: 'Place in the list of pages',
      hint: 'Lower numbers come first.',
    },
  ],
  create: pageOperations.create,
  change: pageOperations.change,
  actions: actionsFor('page', {
    publish: pageOperations.publish,
    unpublish: pageOperations.unpublish,
    remove: pageOperations.remove,
  }),
  links: (page) => [siteLink('pages', page)],
})
