import { sql } from 'kysely'
import { z } from 'zod'
import { amount, count, currency, id, stamps, time, utc, valueFields } from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { objectOperations } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import type { Resource } from '../operation/resource.ts'
import { checkRow, endsTooEarly, type RowRules } from '../operation/row-rules.ts'
import { schoolCurrency } from '../schools/school.ts'

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
  percent_off: z.int().min(1).max(100).nullable().default(null),
  amount_off: amount.min(1).nullable().default(null),
  currency: currency.nullable().meta({ description: 'Of amount_off.' }).default(null),
}

export const couponLimits = {
  max_redemptions: limit.default(null),
  max_per_member: limit.default(null),
  starts_at: time.nullable().default(null),
  ends_at: time.nullable().default(null),
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

const couponSchema = z
  .strictObject({
    object: z.literal('coupon'),
    id,
    ...valueFields(couponTerms),
    max_redemptions: limit,
    max_per_member: limit,
    redemption_count: count,
    starts_at: utc.nullable(),
    ends_at: utc.nullable(),
    redeemable: z.boolean().meta({ description: 'Whether it could be used at this moment.' }),
    archived_at: utc.nullable(),
    ...stamps,
  })
  .meta({ id: 'Coupon' })

/** Never null, and in a form from which the condition of the index `coupons_bounded` follows. */
const IS_CLOSED = sql`(c.archived_at is not null or c.used_up
  or (c.starts_at is not null and c.starts_at > now()) or (c.ends_at is not null and c.ends_at <= now()))`

export const coupons: Resource<typeof couponSchema> = {
  object: 'coupon',
  restPath: '/coupons/{id}',
  schema: couponSchema,
  rows: (db) => sql`
    select c.id, c.code, c.percent_off, c.amount_off, c.currency, c.max_redemptions, c.max_per_member,
      c.redemption_count, c.starts_at, c.ends_at,
      not ${IS_CLOSED} as redeemable,
      c.archived_at, c.created_at, c.updated_at, c.version
    from coupons c where c.school_id = ${db.schoolId}`,
}

const ops = objectOperations({
  of: coupons,
  table: 'coupons',
  one: 'a coupon',
  example: EXAMPLE.coupon,
  once: couponTerms,
  fields: couponLimits,
  rules: couponRules,
})

export const listCoupons = listOperation({
  ...ops.listed,
  summary: 'Discount codes with their limits, periods and how often they were used.',
  filters: {
    code: filter(couponTerms.code, (value) => sql`r.code = ${value}`),
    redeemable: filter(z.boolean(), (value) => (value ? sql`r.redeemable` : sql`not r.redeemable`)),
    search: searchIn({ code: 'code' }),
    ...timeFilters('created_at'),
  },
  sorts: { created_at: 'time', code: 'text' },
  defaultSort: '-created_at',
  examples: [{ title: 'Coupons that can be used now', input: { redeemable: true } }],
})

export const readCoupon = ops.read()

export const createCoupon = ops.create({
  summary:
    'Takes off either a percentage or an amount, in the school’s currency unless another is given. The discount cannot be changed later.',
  examples: [
    {
      title: '20 percent off, for 100 purchases',
      input: { code: 'SPRING27', percent_off: 20, max_redemptions: 100 },
    },
    {
      title: 'Ten dollars off until May',
      input: {
        code: 'TEN-OFF',
        amount_off: 1000,
        currency: 'USD',
        ends_at: '2027-05-01T00:00:00Z',
      },
    },
  ],
  async create(tx, _caller, row) {
    if (needsSchoolCurrency(row)) row.currency = await schoolCurrency(tx)
    checkRow(couponRules, row)
    return await ops.insert(tx, row)
  },
})

export const changeCoupon = ops.change({
  summary:
    'Changes limits and period. The discount stays the same, because people know the code already.',
  examples: [
    { title: 'A higher limit', input: { id: EXAMPLE.coupon, max_redemptions: 500 } },
    { title: 'Without an end date', input: { id: EXAMPLE.coupon, ends_at: null } },
  ],
})

export const archiveCoupon = ops.move('archive', {
  summary: 'Stops a coupon from being used again.',
  examples: [{ title: 'Stop a coupon', input: { id: EXAMPLE.coupon } }],
  to: {
    archived_at: sql`coalesce(archived_at, now())`,
  },
})

export const removeCoupon = ops.remove({
  summary: 'Removes a coupon that was never used. Archive all others.',
  examples: [{ title: 'Remove a coupon', input: { id: EXAMPLE.unusedCoupon } }],
  keptBy: [
    {
      table: 'coupon_redemptions',
      column: 'coupon_id',
      detail: 'This coupon was used. Archive it instead.',
    },
  ],
})

export const couponOperations = {
  list: listCoupons,
  read: readCoupon,
  create: createCoupon,
  change: changeCoupon,
  archive: archiveCoupon,
  remove: removeCoupon,
}
