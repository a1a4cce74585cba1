import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { line } from '../operation/fields.ts'
import { objectOperations } from '../operation/object-operations.ts'
import { conflict, notFound } from '../operation/refusal.ts'
import { checkRow } from '../operation/row-rules.ts'
import { QUESTION_KINDS } from './answer-form.ts'
import { formFields, formRules, forms, MAX_QUESTIONS, type Question } from './form-operations.ts'

const { title, slug, once_per_member } = formFields

const ops = objectOperations({
  of: forms,
  table: 'forms',
  one: 'a form',
  scope: null,
  fields: { title, slug, once_per_member },
})

export const createForm = ops.create({
  summary: 'Creates a draft. Questions are added one by one.',
  create: (tx, _caller, columns) => ops.insert(tx, { ...columns, state: 'draft' }),
})

export const changeForm = ops.change({
  summary: 'Changes its title, its address, or who answers it.',
})

export const openForm = ops.action('open', {
  summary: 'The form accepts answers from now on.',
  async change(tx, _caller, { id: form, if_version }) {
    const questions = await lockQuestions(tx, form, if_version)
    checkRow(formRules, { state: 'open', fields: questions })
    await ops.update(tx, { id: form }, { state: 'open' })
  },
})

export const closeForm = ops.move('close', {
  summary: 'The form accepts no more answers. Existing answers are kept.',
  to: { state: 'closed' },
})

export const addQuestion = ops.action('add_question', {
  title: 'Add a question',
  summary: 'Adds a question at the end of a form.',
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

export const removeQuestion = ops.action('remove_question', {
  title: 'Remove a question',
  summary: 'Removes it from the form. Existing answers stay in the submissions.',
  fields: { question: line(300).meta({ description: 'Its name.' }) },
  async change(tx, _caller, { id: form, if_version, question }) {
    const questions = await lockQuestions(tx, form, if_version)
    const left = questions.filter(({ name }) => name !== question)
    if (left.length === questions.length) throw notFound('question')
    await setQuestions(tx, form, left)
  },
})

export const removeForm = ops.remove({
  summary: 'Removes a form without answers. Close all others.',
  keptBy: [
    {
      table: 'form_submissions',
      column: 'form_id',
      detail: 'People answered this form. Close it instead.',
    },
  ],
})

/** Locks the form, so that two questions added at the same time are both kept. */
async function lockQuestions(
  tx: SchoolTx,
  form: string,
  ifVersion: number | undefined,
): Promise<readonly Question[]> {
  await ops.lock(tx, { id: form, if_version: ifVersion })
  const { rows } = await tx.run(sql<{ fields: Question[] }>`
    select fields from forms where school_id = ${tx.schoolId} and id = ${form}`)
  return rows[0]?.fields ?? []
}

async function setQuestions(
  tx: SchoolTx,
  form: string,
  questions: readonly Question[],
): Promise<void> {
  await ops.update(tx, { id: form }, { fields: JSON.stringify(questions) })
}
