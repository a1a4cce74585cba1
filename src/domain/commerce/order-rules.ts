import type { RowRules } from '../operation/row-rules.ts'

interface OrderRow {
  readonly state?: string | undefined
  readonly completed_at?: string | null | undefined
}

export const orderRules: RowRules<OrderRow> = [
  {
    field: 'completed_at',
    code: 'inconsistent',
    detail: 'Only a completed order has a time at which it was completed.',
    broken: ({ state, completed_at }) => completed_at != null && state !== 'completed',
  },
]
