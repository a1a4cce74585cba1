import type { RowRules } from '../operation/row-rules.ts'

/** What an order can be for, and so what the item of a line is. */
export const ITEM_KINDS = [
  'course',
  'digital_product',
  'event',
  'membership_plan',
  'other',
] as const

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
