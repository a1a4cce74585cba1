import { z } from 'zod'
import { amount, currency, id, line, markdown, slug } from '../operation/fields.ts'
import type { RowRules } from '../operation/row-rules.ts'
import { PLAN_INTERVALS } from './plan-resource.ts'

export const planFields = {
  slug,
  name: line(200),
  description: markdown(20_000),
  price_amount: amount,
  currency,
  interval: z.enum(PLAN_INTERVALS),
  course_ids: z.array(id).max(500).meta({ description: 'The courses that the plan opens.' }),
}

interface PlanRow {
  readonly price_amount?: number | undefined
  readonly currency?: string | undefined
  readonly interval?: string | undefined
  readonly active_subscription_count?: number | undefined
}

const TERMS = ['price_amount', 'currency', 'interval'] as const

export const planRules: RowRules<PlanRow> = [
  {
    kind: 'conflict',
    field: 'price_amount',
    code: 'subscribed',
    detail: 'Members subscribed at these terms. Create a new plan and archive this one.',
    broken: (plan, before) =>
      before !== undefined &&
      Number(before.active_subscription_count) > 0 &&
      TERMS.some((term) => plan[term] !== before[term]),
  },
]
