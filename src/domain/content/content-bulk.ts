import { z } from 'zod'
import { byEmail, byName } from '../bulk/reference-column.ts'
import { columnsOf, stampState } from '../bulk/table-details.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { id, time } from '../operation/fields.ts'
import { EXAMPLE } from '../operation/operation.ts'
import {
  completeForm,
  formFields,
  formRules,
  forms,
  listForms,
  listSubmissions,
  submissions,
} from './form-operations.ts'
import { keepImported } from './rendered-texts.ts'
import {
  listPages,
  listPosts,
  pageFields,
  pages,
  posts,
  writingFields,
} from './writing-operations.ts'

const published = {
  state: { schema: posts.schema.shape.state, default: 'draft' },
  published_at: { schema: time.nullable(), note: 'now by default, if the state needs it' },
}

export const postKind = tableKind({
  name: 'posts',
  about: 'Dated articles, drafts included.',
  of: posts,
  list: listPosts,
  scopes: { read: 'posts:read', write: 'posts:write' },
  example: { slug: 'new-term', title: 'The new term', body: 'It begins in *March*.' },
  table: 'posts',
  natural: ['slug'],
  columns: {
    ...columnsOf(writingFields),
    author_id: { schema: id.nullable(), note: 'by default the person who authorized the app' },
    ...published,
  },
  references: { author_email: byEmail('author_id') },
  complete(row, caller) {
    row.values.state ??= row.before?.state ?? 'draft'
    if (row.values.state === 'published') stampState(row, ['published'], 'published_at')
    if (row.before === undefined) row.values.author_id ??= caller.userId ?? null
  },
  confirm: keepImported('posts'),
})

export const pageKind = tableKind({
  name: 'pages',
  about: 'Pages of the school’s site, drafts included.',
  of: pages,
  list: listPages,
  scopes: { read: 'pages:read', write: 'pages:write' },
  example: { slug: 'about', title: 'About us', position: 1 },
  table: 'pages',
  natural: ['slug'],
  columns: {
    ...columnsOf(pageFields),
    ...published,
  },
  complete(row) {
    row.values.state ??= row.before?.state ?? 'draft'
    if (row.values.state === 'published') stampState(row, ['published'], 'published_at')
  },
  confirm: keepImported('pages'),
})

export const formKind = tableKind({
  name: 'forms',
  about: 'Forms in every state.',
  of: forms,
  list: listForms,
  scopes: { read: 'forms:read' },
  example: {
    slug: 'feedback',
    title: 'Feedback',
    fields: [{ name: 'q', label: 'How was it?', kind: 'text', required: true }],
  },
  table: 'forms',
  natural: ['slug'],
  columns: {
    ...columnsOf(formFields, { state: { note: 'by default open, or draft without questions' } }),
  },
  complete({ values, before }) {
    if (before === undefined) completeForm(values)
  },
  rules: formRules,
})

export const submissionKind = tableKind({
  name: 'form-submissions',
  about: 'Answers to forms.',
  of: submissions,
  list: listSubmissions,
  scopes: { read: 'forms:read' },
  notInAdmin: 'People answer forms themselves, and only a move from another system brings answers.',
  example: { external_id: 'answer-1', form_id: EXAMPLE.form, answers: { q: 'Yes' } },
  table: 'form_submissions',
  columns: {
    form_id: { schema: id, needed: true, fixed: true },
    member_id: { schema: id.nullable(), fixed: true, note: 'empty if the person is not a member' },
    answers: { schema: z.record(z.string(), z.unknown()), needed: true },
    submitted_at: { schema: time, note: 'now by default' },
  },
  stored: { member_id: 'user_id' },
  now: ['submitted_at'],
  references: {
    form_slug: byName('form_id', { table: 'forms', by: 'slug' }),
    member_email: byEmail('member_id'),
  },
})
