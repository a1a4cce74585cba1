import { sql } from 'kysely'
import { z } from 'zod'
import { byEmail, byName } from '../bulk/reference-column.ts'
import { columnsOf, inAnyOrder, requireMembers, stampState } from '../bulk/table-details.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { keepImported } from '../content/rendered-texts.ts'
import { id, time, utc } from '../operation/fields.ts'
import { EXAMPLE } from '../operation/operation.ts'
import type { Resource } from '../operation/resource.ts'
import { schoolCurrency } from '../schools/school.ts'
import {
  couponLimits,
  couponRules,
  coupons,
  couponTerms,
  listCoupons,
  needsSchoolCurrency,
} from './coupon-operations.ts'
import { listPlans, planFields, planRules, plans } from './plan-operations.ts'
import { listProducts, productFields, products } from './product-operations.ts'
import { listSubscriptions, subscriptionRules, subscriptions } from './subscription-operations.ts'

export const couponKind = tableKind({
  name: 'coupons',
  about: 'Discount codes with their limits and periods.',
  of: coupons,
  list: listCoupons,
  scopes: { read: 'coupons:read', write: 'coupons:write' },
  example: { code: 'SPRING27', percent_off: 20, max_redemptions: 100 },
  table: 'coupons',
  natural: ['code'],
  columns: {
    ...columnsOf(couponTerms, {
      code: { fixed: true },
      percent_off: { fixed: true },
      amount_off: { fixed: true },
      currency: { fixed: true, note: 'of amount_off; the school’s currency by default' },
    }),
    ...columnsOf(couponLimits),
    archived_at: { schema: time.nullable() },
  },
  defaults: async (tx) => ({ currency: await schoolCurrency(tx) }),
  complete({ before, values }, _caller, { currency }) {
    if (before !== undefined) return
    values.currency ??= needsSchoolCurrency(values) ? currency : null
  },
  rules: couponRules,
})

export const planKind = tableKind({
  name: 'membership-plans',
  about: 'Recurring offers, in every state.',
  of: plans,
  list: listPlans,
  scopes: { read: 'membership_plans:read', write: 'membership_plans:write' },
  example: {
    slug: 'studio-year',
    name: 'Studio, yearly',
    price_amount: 12000,
    interval: 'year',
    course_ids: [EXAMPLE.course],
  },
  table: 'membership_plans',
  natural: ['slug'],
  columns: {
    ...columnsOf(planFields, { currency: { note: 'the school’s currency by default' } }),
    state: { schema: plans.schema.shape.state, default: 'draft' },
  },
  lists: {
    course_ids: {
      table: 'membership_plan_courses',
      owner: 'plan_id',
      columns: ['course_id'],
      rows: (courses: readonly string[]) => courses.map((course_id) => ({ course_id })),
    },
  },
  defaults: async (tx) => ({ currency: await schoolCurrency(tx) }),
  complete: ({ values }) => inAnyOrder(values, 'course_ids'),
  rules: planRules,
  confirm: keepImported('membership_plans'),
})

export const productKind = tableKind({
  name: 'digital-products',
  about: 'Downloads that the school sells, in every state.',
  of: products,
  list: listProducts,
  scopes: { read: 'digital_products:read', write: 'digital_products:write' },
  example: { slug: 'workbook', title: 'Workbook', price_amount: 900 },
  table: 'digital_products',
  natural: ['slug'],
  columns: {
    ...columnsOf(productFields, { currency: { note: 'the school’s currency by default' } }),
    state: { schema: products.schema.shape.state, default: 'draft' },
  },
  defaults: async (tx) => ({ currency: await schoolCurrency(tx) }),
  confirm: keepImported('digital_products'),
})

export const subscriptionKind = tableKind({
  name: 'subscriptions',
  about: 'Members’ plans: active, past due and canceled.',
  of: subscriptions,
  list: listSubscriptions,
  scopes: { read: 'subscriptions:read', write: 'subscriptions:write' },
  example: {
    external_id: 'sub-17',
    member_id: EXAMPLE.newcomer,
    plan_slug: 'studio',
    current_period_starts_at: '2027-01-01T00:00:00Z',
    current_period_ends_at: '2027-02-01T00:00:00Z',
  },
  table: 'subscriptions',
  columns: {
    member_id: { schema: id, needed: true, fixed: true },
    plan_id: { schema: id, needed: true, fixed: true },
    state: { schema: subscriptions.schema.shape.state, default: 'active' },
    started_at: { schema: time, note: 'now by default' },
    current_period_starts_at: { schema: time, needed: true },
    current_period_ends_at: { schema: time, needed: true },
    cancel_at_period_end: {
      schema: subscriptions.schema.shape.cancel_at_period_end,
      default: false,
    },
    canceled_at: { schema: time.nullable(), note: 'now by default, if the state needs it' },
  },
  stored: { member_id: 'user_id' },
  now: ['started_at'],
  references: {
    member_email: byEmail('member_id'),
    plan_slug: byName('plan_id', { table: 'membership_plans', by: 'slug' }),
  },
  complete(row) {
    row.values.state ??= row.before?.state ?? 'active'
    if (row.values.state === 'canceled') stampState(row, ['canceled'], 'canceled_at')
  },
  rules: subscriptionRules,
})

const accessSchema = z
  .strictObject({
    object: z.literal('digital_product_access'),
    id,
    product_id: id,
    member_id: id,
    granted_at: utc,
    revoked_at: utc.nullable(),
  })
  .meta({ id: 'DigitalProductAccess' })

const accesses: Resource<typeof accessSchema> = {
  object: 'digital_product_access',
  schema: accessSchema,
  rows: (db) => sql`
    select a.id, a.product_id, a.user_id as member_id, a.granted_at, a.revoked_at
    from digital_product_accesses a where a.school_id = ${db.schoolId}`,
}

export const accessKind = tableKind({
  name: 'digital-product-accesses',
  about: 'Who may download which digital product.',
  of: accesses,
  scopes: {},
  notInAdmin: 'A purchase gives access, and only a move from another system brings it.',
  example: { product_slug: 'sheet', member_id: EXAMPLE.student },
  table: 'digital_product_accesses',
  natural: ['product_id', 'member_id'],
  columns: {
    product_id: { schema: id, needed: true, fixed: true },
    member_id: { schema: id, needed: true, fixed: true },
    granted_at: { schema: time, note: 'now by default' },
    revoked_at: { schema: time.nullable() },
  },
  stored: { member_id: 'user_id' },
  now: ['granted_at'],
  references: {
    product_slug: byName('product_id', { table: 'digital_products', by: 'slug' }),
    member_email: byEmail('member_id'),
  },
  inspect: (tx, rows) => requireMembers(tx, rows, 'member_id'),
})
