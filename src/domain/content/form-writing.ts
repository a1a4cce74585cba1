import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { line } from '../operation/fields.ts'
import {
  changeOperation,
  createOperation,
  removeOperation,
} from '../operation/object-operations.ts'
import { conflict, notFound } from '../operation/refusal.ts'
import { checkRow } from '../operation/row-rules.ts'
import { checkVersion, WITHOUT_SCOPE, writing } from '../operation/writing.ts'
import { QUESTION_KINDS } from './answer-form.ts'
import { formFields, formRules, forms, MAX_QUESTIONS, type Question } from './form-operations.ts'

const { title, slug, once_per_member } = formFields

const target = (form: string, ifVersion?: number) => ({
  object: 'form',
  key: { id: form },
  ifVersion,
})

export const createForm = createOperation({
  name: 'forms.create',
  title: 'Create a form',
  summary: 'Creates a draft. Questions are added one by one.',
  ...WITHOUT_SCOPE,
  of: forms,
  fields: { title, slug, once_per_member: once_per_member.default(false) },
  async create(tx, _caller, columns) {
    const made = uuidv7()
    await tx.insert('forms', { ...columns, id: made, state: 'draft' }).execute()
    return made
  },
})

export const changeForm = changeOperation({
  name: 'forms.change',
  title: 'Change a form',
  summary: 'Changes its title, its address, or who answers it.',
  ...WITHOUT_SCOPE,
  of: forms,
  fields: z.object({ title, slug, once_per_member }).partial().shape,
  async change(tx, _caller, { id: form, if_version, ...columns }) {
    await writing(tx).update('forms', target(form, if_version), columns)
  },
})

export const openForm = changeOperation({
  name: 'forms.open',
  title: 'Open a form',
  summary: 'The form accepts answers from now on.',
  ...WITHOUT_SCOPE,
  of: forms,
  fields: {},
  async change(tx, _caller, { id: form, if_version }) {
    const questions = await lockQuestions(tx, form, if_version)
    checkRow(formRules, { state: 'open', fields: questions })
    await writing(tx).update('forms', target(form), { state: 'open' })
  },
})

export const closeForm = changeOperation({
  name: 'forms.close',
  title: 'Close a form',
  summary: 'The form accepts no more answers. Existing answers are kept.',
  ...WITHOUT_SCOPE,
  of: forms,
  fields: {},
  async change(tx, _caller, { id: form, if_version }) {
    await writing(tx).update('forms', target(form, if_version), { state: 'closed' })
  },
})

export const addQuestion = changeOperation({
  name: 'forms.add_question',
  title: 'Add a question',
  summary: 'Adds a question at the end of a form.',
  ...WITHOUT_SCOPE,
  of: forms,
  fields: {
    label: line(300),
    kind: z.enum(QUESTION_KINDS).default('text'),
    required: z.boolean().default(false),
  },
  async change(tx, _caller, { id: form, if_version, ...question }) {
    const questions = await lockQuestions(tx, form, if_version)
    if (questions.length >= MAX_QUESTIONS) {
      throw conflict('too_many', `A form has at most ${MAX_QUESTIONS} questions.`)
    }
    // Answers are stored by this name, so no other question may ever get the same one.
    await setQuestions(tx, form, [...questions, { name: uuidv7(), ...question }])
  },
})

export const removeQuestion = changeOperation({
  name: 'forms.remove_question',
  title: 'Remove a question',
  summary: 'Removes it from the form. Existing answers stay in the submissions.',
  ...WITHOUT_SCOPE,
  of: forms,
  fields: { question: line(300).meta({ description: 'Its name.' }) },
  async change(tx, _caller, { id: form, if_version, question }) {
    const questions = await lockQuestions(tx, form, if_version)
    const left = questions.filter(({ name }) => name !== question)
    if (left.length === questions.length) throw notFound('question')
    await setQuestions(tx, form, left)
  },
})

export const removeForm = removeOperation({
  name: 'forms.remove',
  title: 'Remove a form',
  summary: 'Removes a form without answers. Close all others.',
  ...WITHOUT_SCOPE,
  of: forms,
  keptBy: [
    {
      table: 'form_submissions',
      column: 'form_id',
      detail: 'People answered this form. Close it instead.',
    },
  ],
  async remove(tx, _caller, { id: form, if_version }) {
    await writing(tx).delete('forms', target(form, if_version))
  },
})

/** Locks the form, so that two questions added at the same time are both kept. */
async function lockQuestions(
  tx: SchoolTx,
  form: string,
  ifVersion: number | undefined,
): Promise<readonly Question[]> {
  await checkVersion(tx, 'forms', target(form, ifVersion))
  const { rows } = await tx.run(sql<{ fields: Question[] }>`
    select fields from forms where school_id = ${tx.schoolId} and id = ${form}`)
  return rows[0]?.fields ?? []
}

async function setQuestions(
  tx: SchoolTx,
  form: string,
  questions: readonly Question[],
): Promise<void> {
  await writing(tx).update('forms', target(form), { fields: JSON.stringify(questions) })
}
