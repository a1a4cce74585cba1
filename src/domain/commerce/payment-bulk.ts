import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { ReasonCode } from '../../foundation/errors/catalogue.ts'
import { objectAfter } from '../bulk/plan-rows.ts'
import { byEmail } from '../bulk/reference-column.ts'
import {
  columnsOf,
  type PlannedRow,
  requireMembers,
  type StartedRow,
} from '../bulk/table-details.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { id } from '../operation/fields.ts'
import type { Refusal } from '../operation/refusal.ts'
import { schoolCurrency } from '../schools/school.ts'
import { itemColumns } from './order-operations.ts'
import { listPayments } from './payment-operations.ts'
import { payments } from './payment-resource.ts'
import { type Attempt, attemptFields, attemptRules, completeAttempt } from './record-attempt.ts'

export const paymentKind = tableKind({
  name: 'payments',
  about: 'Every attempt to pay for an order; a checkout that was retried has several.',
  of: payments,
  list: listPayments,
  scopes: { read: 'orders:read' },
  example: {
    trade_no: 'T-2',
    order_number: 'N-1',
    amount: 4500,
    currency: 'USD',
    payment_type: 'credit_card',
    state: 'paid',
    paid_at: '2027-01-01T09:30:00Z',
  },
  table: 'payments',
  natural: ['trade_no'],
  columns: {
    order_id: { schema: id, fixed: true },
    ...columnsOf(attemptFields, {
      order_number: {
        needed: false,
        fixed: true,
        note: 'instead of order_id; an unknown number creates an order',
      },
      member_id: {
        needed: false,
        fixed: true,
        note: 'for a new order; otherwise the member who placed it',
      },
      currency: { note: 'the school’s currency by default' },
      payment_type: { note: 'empty until the member chooses one' },
      paid_at: { note: 'created_at by default, if the state needs it' },
      lines: { default: [], note: 'kind and item_id of a line become items of a new order' },
      adjustments: { default: [] },
    }),
  },
  elsewhere: ['order_number'],
  stored: { member_id: 'user_id' },
  references: { member_email: byEmail('member_id') },
  lists: {
    lines: {
      table: 'payment_lines',
      owner: 'payment_id',
      columns: ['position', 'title', 'quantity', 'unit_amount', 'amount'],
      rows: (lines: readonly { quantity: number; unit_amount: number }[]) =>
        lines.map((sold, position) => ({
          ...sold,
          position,
          amount: sold.quantity * sold.unit_amount,
        })),
    },
    adjustments: {
      table: 'payment_adjustments',
      owner: 'payment_id',
      columns: ['position', 'kind', 'label', 'amount'],
      rows: (lines: readonly object[]) => lines.map((row, position) => ({ ...row, position })),
    },
    invoice: {
      table: 'invoices',
      owner: 'payment_id',
      columns: ['number', 'issued_at', 'url'],
      rows: (issued: Record<string, unknown> | null) => (issued === null ? [] : [issued]),
    },
  },
  defaults: async (tx) => ({ currency: await schoolCurrency(tx) }),
  complete: completePayment,
  rules: attemptRules,
  async inspect(tx, rows) {
    // An expired payment is stored as pending; reading it compares expires_at with the time.
    for (const { values } of rows) if (values.state === 'expired') values.state = 'pending'
    await requireMembers(tx, rows, 'member_id')
    await findOrders(tx, rows)
  },
  confirm: completeOrders,
})

type Line = Readonly<Record<'title' | 'quantity' | 'unit_amount', unknown>>

const FILLED_IN = ['paid_at', 'refunded_at', 'refund_requested_at', 'invoice'] as const

/** Completes a payment like `recordPayment` does. */
function completePayment(row: StartedRow): void {
  const { values, before } = row
  if (Array.isArray(values.lines)) {
    values.bought = values.lines
    values.lines = (values.lines as Line[]).map(({ title, quantity, unit_amount }) => ({
      title,
      quantity,
      unit_amount,
    }))
  }
  const attempt = objectAfter(row, NEW_ATTEMPT) as unknown as Attempt
  completeAttempt(attempt)
  for (const name of FILLED_IN) if (attempt[name] != null) values[name] = attempt[name]
  // A pending payment past its time is shown as expired, so this row is unchanged.
  if (values.state === 'pending' && before?.state === 'expired') values.state = undefined
}

const NEW_ATTEMPT = { state: 'pending', refunding_state: 'none' }

/**
 * Finds the orders of new payments. An unknown order number creates an order, because some systems
 * export payments only and have no data about the purchase.
 */
async function findOrders(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const fresh = rows.filter(({ outcome }) => outcome === 'created')
  if (fresh.length === 0) return
  const known = await loadOrders(tx, fresh)
  await addOrders(
    tx,
    fresh.filter(({ values }) => findOrder(known, values) === undefined && canCreateOrder(values)),
  )
  const found = await loadOrders(tx, fresh)
  for (const row of fresh) {
    const order = findOrder(found, row.values)
    if (order === undefined) row.outcome = unknownOrder(row.values)
    else if (row.values.member_id !== undefined && row.values.member_id !== order.user_id) {
      row.outcome = OTHER_MEMBER
    } else {
      row.values.order_id = order.id
      row.values.member_id = order.user_id
    }
  }
}

interface Order {
  readonly id: string
  readonly number: string
  readonly user_id: string
}

type Values = PlannedRow['values']

type Orders = ReadonlyMap<unknown, Order>

/**
 * By id and by number. Locks the orders, so that two imports do not complete one at the same time.
 */
async function loadOrders(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<Orders> {
  const ids = rows.flatMap(({ values }) => values.order_id ?? [])
  const numbers = rows.flatMap(({ values }) => values.order_number ?? [])
  const { rows: found } = await tx.run(sql<Order>`
    select id, number, user_id from orders where school_id = ${tx.schoolId}
      and id in (
        select id from orders where school_id = ${tx.schoolId} and id = any(${ids}::uuid[])
        union select id from orders where school_id = ${tx.schoolId} and number = any(${numbers}::text[]))
    order by id for update`)
  return new Map(found.flatMap((order) => [order.id, order.number].map((name) => [name, order])))
}

function findOrder(orders: Orders, { order_id, order_number }: Values): Order | undefined {
  return orders.get(order_id ?? order_number)
}

function canCreateOrder({ order_id, order_number, member_id }: Values): boolean {
  return order_id === undefined && order_number !== undefined && member_id !== undefined
}

async function addOrders(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  // If a new order has several attempts, the first one defines the order.
  const first = new Map<unknown, Values>()
  for (const { values } of rows) {
    if (!first.has(values.order_number)) first.set(values.order_number, values)
  }
  const orders = [...first.values()].map((values) => ({
    id: uuidv7(),
    number: values.order_number,
    user_id: values.member_id,
    total_amount: values.amount,
    currency: values.currency,
    created_at: values.created_at,
    bought: (values.bought ?? []) as Values[],
  }))
  if (orders.length === 0) return
  await tx.run(sql`
    insert into orders (school_id, id, number, user_id, state, total_amount, currency, created_at)
    select ${tx.schoolId}::uuid, v.id, v.number, v.user_id, 'open', v.total_amount, v.currency,
      coalesce(v.created_at, now())
    from jsonb_populate_recordset(null::orders, ${JSON.stringify(orders)}::jsonb) v
    on conflict (school_id, number) do nothing`)
  const items = orders.flatMap(({ id, bought }) =>
    bought.map((item, position) => ({ order_id: id, position, ...itemColumns(item) })),
  )
  if (items.length === 0) return
  await tx.run(sql`
    insert into order_items (school_id, order_id, position, title, course_id, digital_product_id,
      event_id, plan_id, quantity, unit_amount)
    select ${tx.schoolId}::uuid, v.order_id, v.position, v.title, v.course_id, v.digital_product_id,
      v.event_id, v.plan_id, v.quantity, v.unit_amount
    from jsonb_populate_recordset(null::order_items, ${JSON.stringify(items)}::jsonb) v`)
}

/** An order with a paid payment is completed. */
async function completeOrders(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const paid = rows.filter(({ values, before }) => (values.paid_at ?? before?.paid_at) != null)
  const orders = [...new Set(paid.map(({ values, before }) => before?.order_id ?? values.order_id))]
  if (orders.length === 0) return
  await tx.run(sql`
    update orders o set state = 'completed', completed_at = (
      select min(p.paid_at) from payments p where p.school_id = o.school_id and p.order_id = o.id)
    where o.school_id = ${tx.schoolId} and o.id = any(${orders}::uuid[]) and o.state = 'open'`)
}

function unknownOrder({ order_id, order_number }: Values): Refusal {
  const [column, code, detail]: [string, ReasonCode, string] =
    order_id !== undefined
      ? ['order_id', 'unknown_reference', 'There is no order with this id at this school.']
      : order_number !== undefined
        ? [
            'member_id',
            'required',
            'There is no order with this number yet, and a new order needs a member.',
          ]
        : ['order_number', 'required', 'Name the order by its number or its id.']
  return { kind: 'invalid', problems: [{ pointer: `/${column}`, code, detail }] }
}

const OTHER_MEMBER: Refusal = {
  kind: 'invalid',
  problems: [
    {
      pointer: '/member_id',
      code: 'other_member',
      detail: 'The order with this number belongs to another member.',
    },
  ],
}
