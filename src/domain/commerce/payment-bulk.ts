import { z } from 'zod'
import { columnsOf, NEEDED } from '../bulk/columns.ts'
import { objectAfter } from '../bulk/plan-rows.ts'
import { byEmail } from '../bulk/reference-column.ts'
import type { StartedRow } from '../bulk/table-details.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { id, line, text, time, webAddress } from '../operation/fields.ts'
import { schoolCurrency } from '../schools/school-currency.ts'
import { type Attempt, checkAttempt } from './check-attempt.ts'
import { completeOrders, findOrders } from './orders-of-payments.ts'
import { listPayments, recordPayment } from './payment-operations.ts'
import { payments } from './payment-resource.ts'

const boughtLine = z.strictObject({
  title: line(300),
  quantity: z.int().min(1).max(1_000_000).default(1),
  unit_amount: payments.schema.shape.amount,
  kind: z.enum(['course', 'digital_product', 'event', 'membership_plan', 'other']).optional(),
  item_id: id.nullable().optional(),
})

const invoice = z.strictObject({
  number: text(1, 64),
  issued_at: time,
  url: webAddress.nullable().default(null),
})

export const paymentKind = tableKind({
  name: 'payments',
  about: 'Every attempt to pay for an order; a retried checkout has several.',
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
    ...columnsOf(recordPayment, {
      trade_no: NEEDED,
      order_number: { fixed: true, note: 'stands in for order_id; a new one makes an order' },
      member_id: { fixed: true, note: 'for a new order; else whoever placed it' },
      amount: NEEDED,
      currency: { note: 'the school’s own unless given' },
      payment_type: { note: 'empty while none was chosen' },
      state: { default: 'pending' },
      created_at: { note: 'now unless given' },
      paid_at: { note: 'created_at, if the state asks for it' },
      expires_at: {},
      bank_code: {},
      bank_name: {},
      code_no: {},
      installment_count: {},
      installment_amount: {},
      refunding_state: { default: 'none' },
      refunded_amount: { default: 0 },
      refund_requested_at: {},
      refunded_at: {},
    }),
    lines: {
      schema: z.array(boughtLine).max(200),
      default: [],
      note: 'kind and item_id of a line become items of a new order',
    },
    ...columnsOf(recordPayment, { adjustments: { default: [] } }),
    invoice: { schema: invoice.nullable() },
  },
  elsewhere: ['order_number'],
  stored: { member_id: 'user_id' },
  now: ['created_at'],
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
  complete: completeAttempt,
  inspect: findOrders,
  confirm: completeOrders,
})

/** Completes an attempt the way one that is recorded by hand is completed, and judges it as that is. */
function completeAttempt(row: StartedRow): void {
  const { values, before } = row
  if (Array.isArray(values.lines)) {
    values.bought = values.lines
    values.lines = (values.lines as z.output<typeof boughtLine>[]).map(
      ({ title, quantity, unit_amount }) => ({ title, quantity, unit_amount }),
    )
  }
  const issued = values.invoice as z.output<typeof invoice> | null | undefined
  if (issued != null) {
    values.invoice = { ...issued, issued_at: new Date(issued.issued_at).toISOString() }
  }
  const attempt = objectAfter(row, NEW_ATTEMPT) as unknown as Attempt & Record<string, unknown>
  checkAttempt(attempt, Date.now())
  const begun = attempt.created_at ?? new Date().toISOString()
  const refunded = ['refunded', 'partially_refunded'].includes(attempt.refunding_state)
  const paid = attempt.state === 'paid' || attempt.state === 'refunded'
  if (paid && attempt.paid_at == null) values.paid_at = begun
  if (refunded && attempt.refunded_at == null) values.refunded_at = attempt.paid_at ?? begun
  if (attempt.refunding_state !== 'none' && attempt.refund_requested_at == null) {
    values.refund_requested_at = attempt.refunded_at ?? attempt.paid_at ?? begun
  }
  // Expiry is not stored, the clock decides it: both words mean the same row.
  const waiting = (state: unknown): boolean => state === 'pending' || state === 'expired'
  if (waiting(values.state) && waiting(before?.state)) delete values.state
  else if (values.state === 'expired') values.state = 'pending'
}

const NEW_ATTEMPT = {
  payment_type: null,
  state: 'pending',
  refunding_state: 'none',
  refunded_amount: 0,
}
