import { sql } from 'kysely'
import { z } from 'zod'
import { count, id, line, slug, stamps, utc, valueFields } from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { objectOperations, readOperation } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { expansionOf, loadObject, type Resource } from '../operation/resource.ts'
import type { RowRules } from '../operation/row-rules.ts'
import { memberSchema, members } from '../people/member-resource.ts'

const FORM_STATES = ['draft', 'open', 'closed'] as const
export const MAX_QUESTIONS = 200

export const formFields = {
  slug,
  title: line(300),
  state: z.enum(FORM_STATES).optional(),
  once_per_member: z
    .boolean()
    .meta({ description: 'Only members answer it, each of them once.' })
    .default(false),
  /** Imported forms may have other kinds of questions, and more members. */
  fields: z
    .array(
      z.looseObject({
        name: line(100),
        label: line(300),
        kind: line(50),
        required: z.boolean(),
      }),
    )
    .max(MAX_QUESTIONS)
    .default([]),
}

export interface Question {
  readonly name: string
  readonly label: string
  readonly kind: string
  readonly required: boolean
}

interface FormRow {
  state?: string | undefined
  readonly fields?: readonly Pick<Question, 'name'>[] | undefined
}

/** A new form with questions is open; one without is a draft. */
export function completeForm(row: FormRow): void {
  row.state ??= (row.fields ?? []).length > 0 ? 'open' : 'draft'
}

export const formRules: RowRules<FormRow> = [
  {
    field: 'fields',
    code: 'repeated',
    detail:
      'Two questions have the same name. Answers are stored by name, so each name must be unique.',
    broken: ({ fields = [] }) => new Set(fields.map(({ name }) => name)).size !== fields.length,
  },
  {
    kind: 'conflict',
    field: 'state',
    code: 'empty',
    detail: 'Add a question first.',
    broken: ({ state, fields = [] }, before) =>
      state === 'open' && before?.state !== 'open' && fields.length === 0,
  },
]

const READ = ['forms:read']

const formSchema = z
  .strictObject({
    object: z.literal('form'),
    id,
    slug: formFields.slug,
    title: formFields.title,
    state: z.enum(FORM_STATES),
    once_per_member: valueFields(formFields).once_per_member,
    fields: z
      .array(z.record(z.string(), z.unknown()))
      .meta({ description: 'Each with its name, label, kind and whether it is required.' }),
    submission_count: count,
    ...stamps,
  })
  .meta({ id: 'Form' })

export const forms: Resource<typeof formSchema> = {
  object: 'form',
  restPath: '/forms/{id}',
  schema: formSchema,
  rows: (db) => sql`
    select f.id, f.slug, f.title, f.state, f.once_per_member, f.fields, f.submission_count,
      f.created_at, f.updated_at, f.version
    from forms f where f.school_id = ${db.schoolId}`,
}

const submissionSchema = z
  .strictObject({
    object: z.literal('form_submission'),
    id,
    form_id: id,
    member_id: id.nullable(),
    answers: z.record(z.string(), z.unknown()),
    submitted_at: utc,
    member: memberSchema.nullable().optional(),
  })
  .meta({ id: 'FormSubmission' })

export const submissions: Resource<typeof submissionSchema> = {
  object: 'form_submission',
  restPath: '/form-submissions/{id}',
  schema: submissionSchema,
  rows: (db) => sql`
    select s.id, s.form_id, s.user_id as member_id, s.answers, s.submitted_at
    from form_submissions s where s.school_id = ${db.schoolId}`,
  expansions: { member: expansionOf(members, 'member_id', ['members:read']) },
}

const ops = objectOperations({
  of: forms,
  table: 'forms',
  one: 'a form',
  example: EXAMPLE.form,
})

export const listForms = listOperation({
  ...ops.listed,
  summary: 'Forms in every state.',
  filters: {
    search: searchIn('title', 'slug'),
    state: filter(z.enum(FORM_STATES), (state) => sql`r.state = ${state}`),
  },
  sorts: { created_at: 'time', title: 'text' },
  defaultSort: '-created_at',
})

export const readForm = ops.read({
  summary: 'One form by its id, with its fields.',
})

export const listSubmissions = listOperation({
  name: 'forms.submissions',
  title: 'List a form’s submissions',
  summary: 'The answers to a form, newest first.',
  scopes: READ,
  of: submissions,
  within: { form_id: id },
  checkParent: (db, caller, input) => loadObject(db, caller, forms, input.form_id),
  filters: {
    member_id: filter(id, (value) => sql`r.member_id = ${value}`),
    ...timeFilters('submitted_at'),
  },
  sorts: { submitted_at: 'time' },
  defaultSort: '-submitted_at',
  examples: [{ title: 'The answers', input: { form_id: EXAMPLE.form } }],
})

export const readSubmission = readOperation({
  name: 'form_submissions.read',
  title: 'Read a submission',
  summary: 'One set of answers by its id.',
  scopes: READ,
  of: submissions,
  examples: [{ title: 'A submission', input: { id: EXAMPLE.submission } }],
})

export const formOperations = {
  list: listForms,
  read: readForm,
}

export const submissionOperations = {
  list: listSubmissions,
  read: readSubmission,
}
