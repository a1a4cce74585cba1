import { endsTooEarly, type RowRules } from '../operation/row-rules.ts'

interface SubscriptionRow {
  readonly current_period_starts_at?: string | undefined
  readonly current_period_ends_at?: string | undefined
}

export const subscriptionRules: RowRules<SubscriptionRow> = [
  {
    field: 'current_period_ends_at',
    code: 'inconsistent',
    detail: 'A period must end after it starts.',
    broken: ({ current_period_starts_at, current_period_ends_at }) =>
      endsTooEarly(current_period_starts_at, current_period_ends_at),
  },
]
