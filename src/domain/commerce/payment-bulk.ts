import { columnsOf, NEEDED, requireMembers } from '../bulk/columns.ts'
import { objectAfter } from '../bulk/plan-rows.ts'
import { byEmail } from '../bulk/reference-column.ts'
import type { StartedRow } from '../bulk/table-details.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { id } from '../operation/fields.ts'
import { schoolCurrency } from '../schools/school-currency.ts'
import { type Attempt, attemptFields, attemptRules, completeAttempt } from './attempt-rules.ts'
import { completeOrders, findOrders } from './orders-of-payments.ts'
import { listPayments } from './payment-operations.ts'
import { payments } from './payment-resource.ts'

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
      trade_no: NEEDED,
      order_number: {
        fixed: true,
        note: 'instead of order_id; an unknown number creates an order',
      },
      member_id: { fixed: true, note: 'for a new order; otherwise the member who placed it' },
      amount: NEEDED,
      currency: { note: 'the school’s currency by default' },
      payment_type: { note: 'empty until the member chooses one' },
      state: { default: 'pending' },
      created_at: { note: 'now by default' },
      paid_at: { note: 'created_at by default, if the state needs it' },
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
    ...columnsOf(attemptFields, {
      lines: { default: [], note: 'kind and item_id of a line become items of a new order' },
      adjustments: { default: [] },
      invoice: {},
    }),
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
