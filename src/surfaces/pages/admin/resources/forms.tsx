import {
  listForms,
  listSubmissions,
  readForm,
  readSubmission,
} from '../../../../domain/content/form-operations.ts'
import {
  addQuestion,
  changeForm,
  closeForm,
  createForm,
  openForm,
  removeForm,
  removeQuestion,
} from '../../../../domain/content/form-writing.ts'
import { Address, AsWritten, Facts } from '../../../../foundation/html/components.tsx'
import { Empty, Panel } from '../../../../foundation/html/site-components.tsx'
import { plainText, visibleLines } from '../../../../foundation/text/plain-text.ts'
import { asking, type Choice } from '../crud/field.ts'
import { type Column, listPlan } from '../crud/list-plan.ts'
import {
  inWords,
  moment,
  nameOf,
  number,
  ObjectTable,
  person,
  state,
  text,
} from '../crud/object-table.tsx'
import { defineResource, deleting, rowsBy } from '../crud/resource.ts'
import type { OutputOf } from '../crud/row.ts'
import { siteLink, slugFrom } from './site-link.ts'

type Form = OutputOf<typeof readForm>

interface Question {
  readonly name: string
  readonly label: string
  readonly kind: string
  readonly required: boolean
}

/** An import writes the questions of a form too, so their members may be missing. */
function questionsOf({ fields }: Form): readonly Question[] {
  const textIn = (value: unknown) => (typeof value === 'string' ? value : '')
  return fields.map(({ name, label, kind, required }) => ({
    name: textIn(name),
    label: textIn(label),
    kind: textIn(kind),
    required: required === true,
  }))
}

const questionColumns: readonly Column<Question>[] = [
  { label: 'Question', show: ({ label, name }) => label || name },
  { label: 'Kind', show: ({ kind }) => inWords(kind) },
  { label: 'Required', show: ({ required }) => (required ? 'Yes' : 'No') },
]

const submissionList = listPlan({
  operation: listSubmissions,
  expand: ['member'],
  columns: [
    { label: 'From', show: nameOf('member', 'name', 'A visitor') },
    { label: 'Begins with', show: (row) => plainText(answersOf(row)[0]?.[1] ?? '', 2000) },
    { label: 'Sent', show: moment('submitted_at'), sort: 'submitted_at' },
  ],
  sorts: ['-submitted_at', 'submitted_at'],
})

export const submissions = defineResource({
  path: 'submissions',
  menu: '/admin/forms',
  one: 'submission',
  many: 'Submissions',
  read: readSubmission,
  expand: ['member'],
  name: ({ member }) => member?.name || 'A visitor',
  facts: [
    {
      label: 'From',
      show: (row, place) =>
        row.member_id === null ? 'A visitor' : person('member', 'members')(row, place),
    },
    { label: 'Sent', show: moment('submitted_at') },
  ],
  fields: [],
  actions: [],
  up: ({ form_id }) => ({ url: `/admin/forms/${form_id}`, label: 'Form' }),
  panels: async (submission, _place, ask) => {
    const form = await ask(readForm, { id: submission.form_id })
    const labels = new Map(questionsOf(form).map(({ name, label }) => [name, label]))
    return (
      <Panel title="Answers">
        <Facts
          look="answers"
          rows={answersOf(submission).map(([name, answer]) => [
            plainText(labels.get(name) || name),
            <AsWritten text={visibleLines(answer)} />,
          ])}
        />
      </Panel>
    )
  },
})

const ANSWERS: readonly Choice[] = [
  ['text', 'A line'],
  ['long_text', 'A longer text'],
  ['number', 'A number'],
  ['email', 'An email address'],
  ['yes_no', 'Yes or no'],
]

function asked(form: Form): readonly Choice[] {
  return questionsOf(form).map(({ name, label }) => [name, plainText(label)])
}

function answersOf({ answers }: OutputOf<typeof readSubmission>) {
  return Object.entries(answers).map(
    ([name, answer]): Choice => [
      name,
      typeof answer === 'string' ? answer : JSON.stringify(answer),
    ],
  )
}

export const forms = defineResource({
  path: 'forms',
  one: 'form',
  many: 'Forms',
  lead: 'Questions that you ask, and what people answered.',
  list: listPlan({
    operation: listForms,
    columns: [
      { label: 'Title', show: text('title'), sort: 'title' },
      { label: 'State', show: state('state') },
      { label: 'Submissions', show: number('submission_count') },
      { label: 'Created', show: moment('created_at'), sort: 'created_at' },
    ],
    searchHint: 'Title or address',
    filters: [{ name: 'state', label: 'State' }],
    sorts: ['-created_at', 'created_at', 'title', '-title'],
  }),
  read: readForm,
  name: (form) => form.title,
  badges: state('state'),
  facts: [
    {
      label: 'Address',
      show: ({ slug, state }) => {
        const path = `/forms/${slug}`
        return state === 'draft' ? <Address text={path} /> : <a href={path}>{path}</a>
      },
    },
    {
      label: 'Answered by',
      show: ({ once_per_member: once }) => (once ? 'Members, once each' : 'Everybody'),
    },
    { label: 'Submissions', show: number('submission_count') },
    { label: 'Created', show: moment('created_at') },
  ],
  fields: [
    { name: 'title', label: 'Title' },
    slugFrom('title'),
    {
      name: 'once_per_member',
      label: 'Each member answers once',
      hint: 'People sign in to answer it. Otherwise visitors can answer, too.',
    },
  ],
  create: createForm,
  change: changeForm,
  actions: [
    {
      path: 'question',
      label: 'Add a question',
      does: asking(addQuestion, [
        { name: 'label', label: 'Question' },
        { name: 'kind', label: 'Answered by', choices: ANSWERS },
        { name: 'required', label: 'Must be answered' },
      ]),
      question: 'Add a question',
      consequence: 'It comes after the others.',
      done: 'The question is added.',
    },
    {
      path: 'remove-question',
      label: 'Remove a question',
      does: asking(removeQuestion, [
        { name: 'question', label: 'Question', choices: async (_ask, form: Form) => asked(form) },
      ]),
      question: 'Remove a question?',
      done: 'The question is deleted.',
      when: (form) => form.fields.length > 0,
    },
    {
      path: 'open',
      label: 'Open',
      does: openForm,
      question: 'Open this form?',
      consequenceOfMany: 'They accept answers from now on.',
      done: 'The form is open.',
      when: (form) => form.state !== 'open' && form.fields.length > 0,
    },
    {
      path: 'close',
      label: 'Close',
      does: closeForm,
      question: 'Close this form?',
      consequenceOfMany: 'They accept no more answers. Existing answers are kept.',
      done: 'The form is closed.',
      when: (form) => form.state === 'open',
    },
    deleting('form', removeForm),
  ],
  related: [
    {
      path: 'submissions',
      title: 'Submissions',
      of: submissions,
      rows: rowsBy('form_id', submissionList),
      empty: 'There are no submissions yet.',
    },
  ],
  links: (form) => [siteLink('forms', form)],
  panels: async (form, place) => (
    <Panel title="Questions">
      {form.fields.length === 0 ? (
        <Empty>
          <p>Nothing is asked yet.</p>
        </Empty>
      ) : (
        <ObjectTable
          caption="Questions"
          columns={questionColumns}
          rows={questionsOf(form)}
          place={place}
        />
      )}
    </Panel>
  ),
})
