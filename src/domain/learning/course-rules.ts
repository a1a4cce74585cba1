import { z } from 'zod'
import { amount, currency, id, line, markdown, slug, text } from '../operation/fields.ts'
import type { RowRules } from '../operation/row-rules.ts'

export const courseFields = {
  slug,
  title: line(300),
  summary: text(0, 1000),
  description: markdown(),
  price_amount: amount,
  currency,
  cover_file_id: id.nullable(),
  lecturer_ids: z.array(id).max(50),
}

interface CourseRow {
  readonly state?: string | undefined
  readonly archived_at?: string | null | undefined
  readonly lecturer_ids?: readonly string[] | undefined
}

export const courseRules: RowRules<CourseRow> = [
  {
    field: 'lecturer_ids',
    code: 'repeated',
    detail: 'Name each lecturer once.',
    broken: ({ lecturer_ids = [] }) => new Set(lecturer_ids).size !== lecturer_ids.length,
  },
  {
    field: 'archived_at',
    code: 'inconsistent',
    detail: 'Only an archived course has a time at which it was archived.',
    broken: ({ state = 'draft', archived_at }) => archived_at != null && state !== 'archived',
  },
]
