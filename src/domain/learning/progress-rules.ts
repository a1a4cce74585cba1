import { z } from 'zod'
import { count, id } from '../operation/fields.ts'
import type { RowRules } from '../operation/row-rules.ts'
import { LECTURE_STATES } from './progress.ts'

export const progressFields = {
  student_id: id,
  lecture_id: id,
  state: z.enum(LECTURE_STATES),
  position_seconds: count.max(1_000_000),
}

interface ProgressRow {
  readonly state?: string | undefined
  readonly completed_at?: string | null | undefined
}

export const progressRules: RowRules<ProgressRow> = [
  {
    field: 'completed_at',
    code: 'inconsistent',
    detail: 'Only a completed lecture has a time at which it was completed.',
    broken: ({ state, completed_at }) => completed_at != null && state !== 'completed',
  },
]
