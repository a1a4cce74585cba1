import { z } from 'zod'
import { line, slug } from '../operation/fields.ts'
import type { RowRules } from '../operation/row-rules.ts'

const FORM_STATES = ['draft', 'open', 'closed'] as const
export const MAX_QUESTIONS = 200

export const formFields = {
  title: line(300),
  slug,
  state: z.enum(FORM_STATES),
  once_per_member: z.boolean().meta({ description: 'Only members answer it, each of them once.' }),
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
    .max(MAX_QUESTIONS),
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
