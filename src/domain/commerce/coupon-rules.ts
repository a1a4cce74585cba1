import { z } from 'zod'
import { amount, currency, time } from '../operation/fields.ts'
import { endsTooEarly, type RowRules } from '../operation/row-rules.ts'

const limit = z.int().min(1).max(2_000_000_000).nullable()

/** Small letters become capital ones, so that a code has one spelling wherever it is typed. */
const code = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{1,63}$/,
    'Use 2 to 64 letters from A to Z, digits, hyphens and underscores.',
  )
  .toUpperCase()

/** What a coupon takes off. It never changes, because people know the code already. */
export const couponTerms = {
  code,
  percent_off: z.int().min(1).max(100).nullable(),
  amount_off: amount.min(1).nullable(),
  currency: currency.nullable().meta({ description: 'Of amount_off.' }),
}

export const couponLimits = {
  max_redemptions: limit,
  max_per_member: limit,
  starts_at: time.nullable(),
  ends_at: time.nullable(),
}

interface CouponRow {
  readonly percent_off?: number | null | undefined
  readonly amount_off?: number | null | undefined
  readonly currency?: string | null | undefined
  readonly starts_at?: string | null | undefined
  readonly ends_at?: string | null | undefined
}

/** An amount is in the school's currency unless the row names another. */
export function needsSchoolCurrency({ amount_off, currency: given }: CouponRow): boolean {
  return amount_off != null && given == null
}

export const couponRules: RowRules<CouponRow> = [
  {
    field: 'percent_off',
    code: 'inconsistent',
    detail: 'Take off either a percentage or an amount: fill in one of the two.',
    broken: ({ percent_off, amount_off }) => (percent_off == null) === (amount_off == null),
  },
  {
    field: 'currency',
    code: 'inconsistent',
    detail: 'Only an amount has a currency. Leave it empty.',
    broken: ({ amount_off, currency: given }) => amount_off == null && given != null,
  },
  {
    field: 'ends_at',
    code: 'inconsistent',
    detail: 'A coupon must end after it starts.',
    broken: ({ starts_at, ends_at }) => endsTooEarly(starts_at, ends_at),
  },
]
