import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { byEmail, idOfExternal } from '../bulk/reference-column.ts'
import { inAnyOrder, type PlannedRow, stampState } from '../bulk/table-details.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { id, time } from '../operation/fields.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { conflict, invalid } from '../operation/refusal.ts'
import { schoolCurrency } from '../schools/school.ts'
import { itemColumns, listOrders, orderRules, orders } from './order-operations.ts'

const { number, state, total_amount, currency, items } = orders.schema.shape

export const orderKind = tableKind({
  name: 'orders',
  about: 'Purchases with the items that were bought; payments are a separate kind.',
  of: orders,
  list: listOrders,
  scopes: { read: 'orders:read' },
  notInAdmin:
    'Orders come from the checkout. What was paid elsewhere is imported as payments, which create their orders.',
  example: {
    number: 'A-1001',
    member_id: EXAMPLE.student,
    state: 'completed',
    total_amount: 4900,
    items: [
      { title: 'First', kind: 'course', item_id: EXAMPLE.course, quantity: 1, unit_amount: 4900 },
    ],
  },
  table: 'orders',
  natural: ['number'],
  columns: {
    number: { schema: number, needed: true },
    member_id: { schema: id, needed: true, fixed: true },
    state: { schema: state, needed: true },
    total_amount: { schema: total_amount, needed: true },
    currency: { schema: currency, note: 'the school’s currency by default' },
    items: { schema: items.max(200), default: [] },
    coupon_codes: { schema: z.array(z.string().max(64).toUpperCase()).max(20), default: [] },
    completed_at: { schema: time.nullable(), note: 'now by default, if the state needs it' },
  },
  stored: { member_id: 'user_id' },
  references: { member_email: byEmail('member_id') },
  lists: {
    items: {
      table: 'order_items',
      owner: 'order_id',
      columns: [
        'position',
        'title',
        'course_id',
        'digital_product_id',
        'event_id',
        'plan_id',
        'quantity',
        'unit_amount',
      ],
      rows: (bought: readonly Record<string, unknown>[]) =>
        bought.map((item, position) => ({ ...itemColumns(item), position })),
    },
    // `confirm` writes them, because their codes must be looked up.
    coupon_codes: { table: 'coupon_redemptions', owner: 'order_id', columns: [], rows: () => [] },
  },
  defaults: async (tx) => ({ currency: await schoolCurrency(tx) }),
  complete(row) {
    row.values.state ??= row.before?.state
    stampState(row, ['completed'], 'completed_at')
    inAnyOrder(row.values, 'coupon_codes')
  },
  rules: orderRules,
  confirm: redeemCoupons,
})

async function redeemCoupons(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const redeemed = rows.flatMap(({ values, before }) =>
    ((values.coupon_codes ?? []) as string[]).map((code) => ({
      id: idOfExternal(tx.schoolId, 'coupon-redemptions', `${values.id} ${code}`),
      order_id: values.id,
      user_id: before?.member_id ?? values.member_id,
      code,
    })),
  )
  if (redeemed.length === 0) return
  const json = JSON.stringify(redeemed)
  // Locks the coupons first, so that two imports cannot both take the last redemption.
  const codes = [...new Set(redeemed.map(({ code }) => code))]
  await tx.run(sql`
    select 1 from coupons where school_id = ${tx.schoolId} and code = any(${codes}::text[])
    order by id for no key update`)
  const { rows: unknown } = await tx.run(sql<{ code: string }>`
    select v.code from jsonb_to_recordset(${json}::jsonb) as v (code text)
    where not exists (
      select from coupons c where c.school_id = ${tx.schoolId} and c.code = v.code) limit 1`)
  if (unknown.length > 0) {
    throw invalid(
      'coupon_codes',
      'unknown_reference',
      'One of these is not a coupon of this school.',
    )
  }
  const { rows: added } = await tx.run(sql<{ coupon_id: string }>`
    insert into coupon_redemptions (school_id, id, coupon_id, order_id, user_id, redeemed_at)
    select ${tx.schoolId}::uuid, v.id, c.id, v.order_id, v.user_id, o.created_at
    from jsonb_to_recordset(${json}::jsonb) as v (id uuid, order_id uuid, user_id uuid, code text)
      join coupons c on c.school_id = ${tx.schoolId} and c.code = v.code
      join orders o on o.school_id = ${tx.schoolId} and o.id = v.order_id
    on conflict (school_id, coupon_id, order_id) do nothing returning coupon_id`)
  await checkLimits(tx, [...new Set(added.map(({ coupon_id }) => coupon_id))])
}

/**
 * Only of coupons that were used now: orders from before a limit was lowered can be imported again.
 */
async function checkLimits(tx: SchoolTx, used: readonly string[]): Promise<void> {
  const { rows: exceeded } = await tx.run(sql`
    select 1 from coupons c where c.school_id = ${tx.schoolId} and c.id = any(${used}::uuid[]) and (
      c.max_redemptions < (
        select count(*) from coupon_redemptions r
        where r.school_id = c.school_id and r.coupon_id = c.id)
      or c.max_per_member < any (
        select count(*) from coupon_redemptions r
        where r.school_id = c.school_id and r.coupon_id = c.id group by r.user_id)) limit 1`)
  if (exceeded.length > 0) {
    throw conflict('used_up', 'A coupon of this order is used up. Raise its limit first.')
  }
}
