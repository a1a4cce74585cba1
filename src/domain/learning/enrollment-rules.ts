import { time } from '../operation/fields.ts'
import { endsTooEarly, type RowRules } from '../operation/row-rules.ts'

export const enrollmentFields = { expires_at: time.nullable() }

interface EnrollmentRow {
  readonly enrolled_at?: string | undefined
  readonly expires_at?: string | null | undefined
}

export const enrollmentRules: RowRules<EnrollmentRow> = [
  {
    field: 'expires_at',
    code: 'in_the_past',
    detail: 'Write a time in the future, or revoke the enrollment.',
    // A row without a start starts now.
    broken: ({ enrolled_at, expires_at }, _before, now) =>
      enrolled_at === undefined && expires_at != null && Date.parse(expires_at) <= now,
  },
  {
    field: 'expires_at',
    code: 'inconsistent',
    detail: 'An enrollment must end after it starts.',
    broken: ({ enrolled_at, expires_at }) => endsTooEarly(enrolled_at, expires_at),
  },
]
