import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { tell } from '../notifications/notify.ts'
import { amount, currency, id, line, stamps, text, utc, wireTime } from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { objectOperations } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { conflict } from '../operation/refusal.ts'
import { expansionOf, loadObject, type Resource } from '../operation/resource.ts'
import type { RowRules } from '../operation/row-rules.ts'
import { ownCode } from '../operation/search-related.ts'
import { WITHOUT_SCOPE } from '../operation/writing.ts'
import { personOf } from '../people/find-people.ts'
import { memberSchema, members } from '../people/member-resource.ts'
import { closeBought } from './bought-access.ts'
import { message } from './payment-resource.ts'
import { PAYMENT_STATES, PAYMENT_TYPES, REFUNDING_STATES } from './payments-of-member.ts'

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

const STATES = ['open', 'completed', 'canceled'] as const

const itemSchema = z.strictObject({
  title: line(300),
  kind: z.enum(ITEM_KINDS),
  item_id: id.nullable(),
  quantity: z.int().min(1),
  unit_amount: amount,
})

const paymentSchema = z.strictObject({
  id,
  trade_no: text(1, 64),
  amount,
  currency,
  payment_type: z.enum(PAYMENT_TYPES).nullable(),
  state: z.enum(PAYMENT_STATES),
  created_at: utc,
  paid_at: utc.nullable(),
  expires_at: utc.nullable(),
  refunding_state: z.enum(REFUNDING_STATES),
  refunded_amount: amount,
  refund_requested_at: utc.nullable(),
  refunded_at: utc.nullable(),
  invoice_number: z.string().nullable(),
})

const orderSchema = z
  .strictObject({
    object: z.literal('order'),
    id,
    number: text(1, 64),
    member_id: id,
    state: z.enum(STATES),
    total_amount: amount,
    currency,
    items: z.array(itemSchema),
    payments: z.array(paymentSchema).meta({
      description: 'Every attempt to pay, oldest first; a checkout that was retried has several.',
    }),
    coupon_codes: z.array(z.string()),
    completed_at: utc.nullable(),
    ...stamps,
    member: memberSchema.nullable().optional(),
  })
  .meta({ id: 'Order' })

type Order = z.output<typeof orderSchema>

const ITEMS = sql`
  (select coalesce(json_agg(json_build_object('title', i.title,
      'kind', case when i.course_id is not null then 'course'
                   when i.digital_product_id is not null then 'digital_product'
                   when i.event_id is not null then 'event'
                   when i.plan_id is not null then 'membership_plan' else 'other' end,
      'item_id', coalesce(i.course_id, i.digital_product_id, i.event_id, i.plan_id),
      'quantity', i.quantity, 'unit_amount', i.unit_amount) order by i.position), '[]')
   from order_items i where i.school_id = o.school_id and i.order_id = o.id) as items`

/** A pending payment past its time is shown as expired; no job writes that state. */
const PAYMENTS = sql`
  (select coalesce(json_agg(json_build_object('id', p.id, 'trade_no', p.trade_no, 'amount', p.amount,
      'currency', p.currency, 'payment_type', p.payment_type,
      'state', case when p.state = 'pending' and p.expires_at <= now() then 'expired' else p.state end,
      'created_at', ${wireTime('p.created_at')}, 'paid_at', ${wireTime('p.paid_at')},
      'expires_at', ${wireTime('p.expires_at')}, 'refunding_state', p.refunding_state,
      'refunded_amount', p.refunded_amount, 'refund_requested_at', ${wireTime('p.refund_requested_at')},
      'refunded_at', ${wireTime('p.refunded_at')}, 'invoice_number', v.number)
      order by p.created_at, p.id), '[]')
   from payments p left join invoices v on v.school_id = p.school_id and v.payment_id = p.id
   where p.school_id = o.school_id and p.order_id = o.id) as payments`

export const orders: Resource<typeof orderSchema> = {
  object: 'order',
  restPath: '/orders/{id}',
  schema: orderSchema,
  rows: (db) => sql`
    select o.id, o.number, o.user_id as member_id, o.state, o.total_amount, o.currency,
      ${ITEMS}, ${PAYMENTS},
      array(select c.code from coupon_redemptions d
              join coupons c on c.school_id = d.school_id and c.id = d.coupon_id
            where d.school_id = o.school_id and d.order_id = o.id order by c.code) as coupon_codes,
      o.completed_at, o.created_at, o.updated_at, o.version
    from orders o where o.school_id = ${db.schoolId}`,
  expansions: { member: expansionOf(members, 'member_id', ['members:read']) },
}

const ops = objectOperations({
  of: orders,
  table: 'orders',
  one: 'an order',
  example: EXAMPLE.order,
})

export const listOrders = listOperation({
  ...ops.listed,
  summary: 'Purchases, each with its items and every attempt to pay for it.',
  filters: {
    state: filter(z.enum(STATES), (state) => sql`r.state = ${sql.lit(state)}`),
    member_id: filter(id, (value) => sql`r.member_id = ${value}`),
    number: filter(text(1, 64), (value) => sql`r.number = ${value}`),
    search: searchIn(ownCode('orders', 'number'), personOf('member_id')),
    ...timeFilters('created_at'),
  },
  sorts: { created_at: 'time', total_amount: 'number', number: 'text' },
  defaultSort: '-created_at',
  examples: [{ title: 'Completed orders', input: { state: 'completed', expand: ['member'] } }],
})

export const readOrder = ops.read({
  summary: 'One order by its id, with its payments and refunds. Orders can only be read.',
})

/** The column of an order item that refers to what was bought. */
export const ITEM_COLUMNS = {
  course: 'course_id',
  digital_product: 'digital_product_id',
  event: 'event_id',
  membership_plan: 'plan_id',
} as const

/** An item of the API as the columns of its table. */
export function itemColumns({
  kind,
  item_id,
  ...item
}: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const column = Object.hasOwn(ITEM_COLUMNS, String(kind))
    ? ITEM_COLUMNS[kind as keyof typeof ITEM_COLUMNS]
    : undefined
  return column === undefined || item_id == null ? item : { ...item, [column]: item_id }
}

/**
 * Money that the school keeps is refunded first: a canceled order has none. Of a free payment there
 * is nothing to refund.
 */
export const canCancelOrder = ({ state, payments }: Order): boolean =>
  state !== 'canceled' &&
  payments.every((payment) => payment.state !== 'paid' || payment.amount === 0)

export const isCanceled = ({ state }: Order): boolean => state === 'canceled'

export const cancelOrder = ops.action('cancel', {
  summary:
    'Ends an order that is not paid, or whose payments were refunded. Codes to pay with stop to count, and the member is told.',
  ...WITHOUT_SCOPE,
  fields: {
    end_access: z.boolean().default(false).meta({
      description: 'Whether access to the courses and downloads of the order ends, too.',
    }),
    message,
  },
  async change(tx, caller, { id, if_version, end_access, message: words }) {
    await ops.lock(tx, { id, if_version })
    const order = await loadObject(tx, caller, orders, id)
    if (!canCancelOrder(order)) {
      throw conflict(
        'wrong_state',
        isCanceled(order)
          ? 'The order is canceled already.'
          : 'The order is paid. Refund its payments first.',
      )
    }
    await ops.update(tx, { id }, { state: 'canceled', completed_at: null })
    await tx
      .update('payments')
      .set({ state: 'failed' })
      .where('order_id', '=', id)
      .where('state', '=', 'pending')
      .execute()
    if (end_access) await closeBought(tx, id)
    await tell(tx, 'order_canceled', [order.member_id], { order_number: order.number, words })
  },
})

export const reopenOrder = ops.action('reopen', {
  summary:
    'Undoes a cancellation. Codes to pay with that were ended stay ended; access that was ended is given again by hand.',
  ...WITHOUT_SCOPE,
  fields: { message },
  async change(tx, caller, { id, if_version, message: words }) {
    await ops.lock(tx, { id, if_version })
    const order = await loadObject(tx, caller, orders, id)
    if (!isCanceled(order)) throw conflict('wrong_state', 'The order is not canceled.')
    await ops.update(tx, { id }, { state: 'open' })
    await settleOrder(tx, id)
    await tell(tx, 'order_reopened', [order.member_id], { order_number: order.number, words })
  },
})

/**
 * An order is completed when a payment of it was paid, and open before. The caller has locked it.
 */
export async function settleOrder(tx: SchoolTx, id: string): Promise<void> {
  await tx.run(sql`
    update orders o set completed_at = paid.first,
      state = case when paid.first is null then 'open' else 'completed' end
    from (select min(paid_at) as first from payments
          where school_id = ${tx.schoolId} and order_id = ${id}) paid
    where o.school_id = ${tx.schoolId} and o.id = ${id} and o.state <> 'canceled'
      and o.completed_at is distinct from paid.first`)
}

export const orderOperations = {
  list: listOrders,
  read: readOrder,
}
