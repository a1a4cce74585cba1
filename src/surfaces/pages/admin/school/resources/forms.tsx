import {
  listForms,
  listSubmissions,
  readForm,
  readSubmission,
} from '../../../../../domain/content/form-operations.ts'
import {
  addQuestion,
  changeForm,
  closeForm,
  createForm,
  openForm,
  removeForm,
  removeQuestion,
} from '../../../../../domain/content/form-writing.ts'
import { plainText } from '../../../../../foundation/html/plain-text.ts'
import { Empty, Panel } from '../../../../../foundation/html/site-components.tsx'
import {
  type AdminResource,
  type Choice,
  type Column,
  partOf,
  type Row,
  rowsOf,
  textOf,
} from '../resource.ts'
import { address, moment, nameOf, number, person, state, text } from '../views/cells.tsx'
import { ObjectTable } from '../views/object-table.tsx'
import { inWords } from '../views/words.ts'
import { slugFrom } from './slug-field.ts'

const questionColumns: readonly Column[] = [
  { label: 'Question', show: (field) => textOf(field, 'label') || textOf(field, 'name') },
  { label: 'Kind', show: (field) => inWords(textOf(field, 'kind')) },
  { label: 'Required', show: (field) => (field.required === true ? 'Yes' : 'No') },
]

export const submissions: AdminResource = {
  path: 'submissions',
  menu: '/admin/forms',
  one: 'submission',
  many: 'Submissions',
  read: readSubmission,
  expand: ['member'],
  name: (submission) => textOf(partOf(submission, 'member') ?? {}, 'name') || 'A visitor',
  columns: [
    {
      label: 'From',
      show: nameOf('member', 'name', 'A visitor'),
    },
    { label: 'Begins with', show: (row) => answersOf(row)[0]?.[1] },
    { label: 'Sent', show: moment('submitted_at'), sort: 'submitted_at' },
  ],
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
  up: (submission) => ({ url: `/admin/forms/${textOf(submission, 'form_id')}`, label: 'The form' }),
  panels: async (submission, _place, ask) => {
    const form = await ask(readForm, { id: submission.form_id })
    const labels = new Map(
      rowsOf(form, 'fields').map((field) => [textOf(field, 'name'), textOf(field, 'label')]),
    )
    return (
      <Panel title="Answers">
        <dl class="answers">
          {answersOf(submission).map(([name, answer]) => (
            <div>
              <dt>{plainText(labels.get(name) || name, 300)}</dt>
              <dd>{answer}</dd>
            </div>
          ))}
        </dl>
      </Panel>
    )
  },
}

const ANSWERS: readonly Choice[] = [
  ['text', 'A line'],
  ['long_text', 'A longer text'],
  ['number', 'A number'],
]

function asked(form: Row): readonly Choice[] {
  return rowsOf(form, 'fields').map((field) => [
    textOf(field, 'name'),
    plainText(textOf(field, 'label'), 300),
  ])
}

function answersOf(submission: Row): readonly (readonly [string, string])[] {
  return Object.entries(partOf(submission, 'answers') ?? {}).map(([name, answer]) => [
    name,
    plainText(typeof answer === 'string' ? answer : JSON.stringify(answer), 2000),
  ])
}

export const forms: AdminResource = {
  path: 'forms',
  one: 'form',
  many: 'Forms',
  lead: 'Questions that you ask, and what people answered.',
  list: {
    operation: listForms,
    searchHint: 'Title or address',
    filters: [{ name: 'state', label: 'State' }],
    sorts: [
      ['-created_at', 'Newest first'],
      ['created_at', 'Oldest first'],
      ['title', 'Title, A to Z'],
      ['-title', 'Title, Z to A'],
    ],
  },
  read: readForm,
  name: (form) => textOf(form, 'title'),
  badges: state(),
  columns: [
    { label: 'Title', show: text('title'), sort: 'title' },
    { label: 'State', show: state() },
    { label: 'Submissions', show: number('submission_count') },
    { label: 'Created', show: moment('created_at'), sort: 'created_at' },
  ],
  facts: [
    { label: 'Address', show: address('slug') },
    { label: 'Submissions', show: number('submission_count') },
    { label: 'Created', show: moment('created_at') },
  ],
  fields: [{ name: 'title', label: 'Title' }, slugFrom('title')],
  create: createForm,
  change: changeForm,
  actions: [
    {
      path: 'question',
      label: 'Add a question',
      operation: addQuestion,
      question: 'Add a question',
      consequence: 'It comes after the others.',
      done: 'The question is in.',
      fields: [
        { name: 'label', label: 'Question' },
        { name: 'kind', label: 'Answered by', choices: ANSWERS },
        { name: 'required', label: 'Must be answered' },
      ],
    },
    {
      path: 'remove-question',
      label: 'Remove a question',
      operation: removeQuestion,
      question: 'Remove a question?',
      done: 'The question is gone.',
      when: (form) => rowsOf(form, 'fields').length > 0,
      fields: [{ name: 'question', label: 'Question', choices: async (_ask, form) => asked(form) }],
    },
    {
      path: 'open',
      label: 'Open',
      operation: openForm,
      question: 'Open this form?',
      done: 'The form is open.',
      when: (form) => form.state !== 'open' && rowsOf(form, 'fields').length > 0,
    },
    {
      path: 'close',
      label: 'Close',
      operation: closeForm,
      question: 'Close this form?',
      done: 'The form is closed.',
      when: (form) => form.state === 'open',
    },
    {
      path: 'delete',
      label: 'Delete',
      operation: removeForm,
      question: 'Delete this form?',
      consequence: 'It is gone for good. One that people answered cannot be deleted.',
      done: 'The form is gone.',
      tone: 'danger',
      when: (form) => form.submission_count === 0,
    },
  ],
  related: [
    {
      path: 'submissions',
      title: 'Submissions',
      of: submissions,
      list: {
        operation: listSubmissions,
        sorts: [
          ['-submitted_at', 'Newest first'],
          ['submitted_at', 'Oldest first'],
        ],
      },
      by: 'form_id',
      empty: 'Nobody has answered yet.',
    },
  ],
  panels: async (form, place) => (
    <Panel title="Questions">
      {rowsOf(form, 'fields').length === 0 ? (
        <Empty>
          <p>Nothing is asked yet.</p>
        </Empty>
      ) : (
        <ObjectTable
          caption="Questions"
          columns={questionColumns}
          rows={rowsOf(form, 'fields')}
          place={place}
        />
      )}
    </Panel>
  ),
}
