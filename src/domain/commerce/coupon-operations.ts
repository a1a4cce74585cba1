import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { amount, count, currency, dateOrNull, id, stamps, time, utc } from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import {
  changeOperation,
  createOperation,
  readOperation,
  removeOperation,
} from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import type { Resource } from '../operation/resource.ts'
import { checkChange, checkRow, endsTooEarly, type RowRules } from '../operation/row-rules.ts'
import { writing } from '../operation/writing.ts'
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

const READ = ['coupons:read']
const WRITE = ['coupons:write']

const couponSchema = z
  .strictObject({
    object: z.literal('coupon'),
    id,
    ...couponTerms,
    max_redemptions: couponLimits.max_redemptions,
    max_per_member: couponLimits.max_per_member,
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

export const listCoupons = listOperation({
  name: 'coupons.list',
  title: 'List coupons',
  summary: 'Discount codes with their limits, periods and how often they were used.',
  scopes: READ,
  of: coupons,
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

export const readCoupon = readOperation({
  name: 'coupons.read',
  title: 'Read a coupon',
  summary: 'One coupon by its id.',
  scopes: READ,
  of: coupons,
  examples: [{ title: 'A coupon', input: { id: EXAMPLE.coupon } }],
})

export const createCoupon = createOperation({
  name: 'coupons.create',
  title: 'Create a coupon',
  summary:
    'Takes off either a percentage or an amount, in the school’s currency unless another is given. The discount cannot be changed later.',
  scopes: WRITE,
  of: coupons,
  fields: {
    code: couponTerms.code,
    percent_off: couponTerms.percent_off.default(null),
    amount_off: couponTerms.amount_off.default(null),
    currency: couponTerms.currency.default(null),
    max_redemptions: couponLimits.max_redemptions.default(null),
    max_per_member: couponLimits.max_per_member.default(null),
    starts_at: couponLimits.starts_at.default(null),
    ends_at: couponLimits.ends_at.default(null),
  },
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
    const made = uuidv7()
    const window = { starts_at: dateOrNull(row.starts_at), ends_at: dateOrNull(row.ends_at) }
    await tx.insert('coupons', { ...row, ...window, id: made }).execute()
    return made
  },
})

const target = (coupon: string, ifVersion: number | undefined) => ({
  object: 'coupon',
  key: { id: coupon },
  ifVersion,
})

export const changeCoupon = changeOperation({
  name: 'coupons.change',
  title: 'Change a coupon',
  summary:
    'Changes limits and period. The discount stays the same, because people know the code already.',
  scopes: WRITE,
  of: coupons,
  fields: z.object(couponLimits).partial().shape,
  examples: [
    { title: 'A higher limit', input: { id: EXAMPLE.coupon, max_redemptions: 500 } },
    { title: 'Without an end date', input: { id: EXAMPLE.coupon, ends_at: null } },
  ],
  async change(tx, caller, { id: coupon, if_version, ...columns }) {
    const row = ['coupons', target(coupon, if_version)] as const
    await checkChange(tx, caller, coupons, couponRules, row, columns)
    await writing(tx).update(...row, columns)
  },
})

export const archiveCoupon = changeOperation({
  name: 'coupons.archive',
  title: 'Archive a coupon',
  summary: 'Stops a coupon from being used again.',
  scopes: WRITE,
  of: coupons,
  fields: {},
  examples: [{ title: 'Stop a coupon', input: { id: EXAMPLE.coupon } }],
  async change(tx, _caller, { id: coupon, if_version }) {
    await writing(tx).update('coupons', target(coupon, if_version), {
      archived_at: sql`coalesce(archived_at, now())`,
    })
  },
})

export const removeCoupon = removeOperation({
  name: 'coupons.remove',
  title: 'Remove a coupon',
  summary: 'Removes a coupon that was never used. Archive all others.',
  scopes: WRITE,
  of: coupons,
  examples: [{ title: 'Remove a coupon', input: { id: EXAMPLE.unusedCoupon } }],
  keptBy: [
    {
      table: 'coupon_redemptions',
      column: 'coupon_id',
      detail: 'This coupon was used. Archive it instead.',
    },
  ],
  async remove(tx, _caller, { id: coupon, if_version }) {
    await writing(tx).delete('coupons', target(coupon, if_version))
  },
})

export const couponOperations = {
  list: listCoupons,
  read: readCoupon,
  create: createCoupon,
  change: changeCoupon,
  archive: archiveCoupon,
  remove: removeCoupon,
}
