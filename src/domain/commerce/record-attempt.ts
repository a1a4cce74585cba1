import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { dateOrNull } from '../operation/fields.ts'
import { conflict, invalid } from '../operation/refusal.ts'
import type { Attempt } from './attempt-rules.ts'
import { ITEM_COLUMNS } from './order-items.ts'
import type { ITEM_KINDS } from './order-rules.ts'
import type { PaymentAdjustment } from './payment-lines.ts'

interface BoughtLine {
  readonly title: string
  readonly quantity: number
  readonly unit_amount: number
  readonly kind: (typeof ITEM_KINDS)[number]
  readonly item_id: string | null
}

interface RecordedAttempt extends Attempt {
  readonly trade_no: string
  readonly order_number: string
  readonly member_id: string
  readonly currency: string
  /** Undefined lines, adjustments or invoice stay unchanged. */
  readonly lines?: readonly BoughtLine[] | undefined
  readonly adjustments?: readonly PaymentAdjustment[] | undefined
}

/** Writes an attempt after `completeAttempt` and its rules; returns the id of the payment. */
export async function recordAttempt(tx: SchoolTx, attempt: RecordedAttempt): Promise<string> {
  const times = timesOf(attempt)
  const order = await findOrAddOrder(tx, attempt, times)
  const payment = await writePayment(tx, attempt, times, order)
  await writeParts(tx, attempt, times, payment)
  if (times.paid_at !== null) await completeOrder(tx, order, times.paid_at)
  return payment
}

type Times = ReturnType<typeof timesOf>

function timesOf({ created_at, paid_at, refunded_at, refund_requested_at }: RecordedAttempt) {
  return {
    created_at: dateOrNull(created_at) ?? new Date(),
    paid_at: dateOrNull(paid_at),
    refunded_at: dateOrNull(refunded_at),
    refund_requested_at: dateOrNull(refund_requested_at),
  }
}

async function findOrAddOrder(
  tx: SchoolTx,
  { order_number, member_id, amount, currency, lines = [] }: RecordedAttempt,
  { created_at }: Times,
): Promise<string> {
  const made = uuidv7()
  // If two attempts at a new order come at the same time, the second waits here and finds the order.
  const { rows: inserted } = await tx.run(sql`
    insert into orders (school_id, id, number, user_id, state, total_amount, currency, created_at)
    values (${tx.schoolId}, ${made}, ${order_number}, ${member_id}, 'open', ${amount}, ${currency},
      ${created_at})
    on conflict (school_id, number) do nothing returning 1`)
  if (inserted.length > 0) {
    await addItems(tx, made, lines)
    return made
  }
  const { rows } = await tx.run(sql<{ id: string; user_id: string }>`
    select id, user_id from orders
    where school_id = ${tx.schoolId} and number = ${order_number} for update`)
  const [order] = rows
  if (order?.user_id === member_id) return order.id
  throw invalid(
    'member_id',
    'other_member',
    'The order with this number belongs to another member.',
  )
}

async function addItems(tx: SchoolTx, order_id: string, lines: readonly BoughtLine[]) {
  for (const [position, { kind, item_id, ...line }] of lines.entries()) {
    const bought = kind === 'other' || item_id === null ? {} : { [ITEM_COLUMNS[kind]]: item_id }
    await tx.insert('order_items', { ...line, ...bought, order_id, position }).execute()
  }
}

async function writePayment(
  tx: SchoolTx,
  attempt: RecordedAttempt,
  times: Times,
  order_id: string,
): Promise<string> {
  const { trade_no, member_id, payment_type, amount, currency } = attempt
  const columns = {
    amount,
    currency,
    payment_type: payment_type ?? null,
    state: attempt.state === 'expired' ? ('pending' as const) : attempt.state,
    expires_at: dateOrNull(attempt.expires_at),
    bank_code: attempt.bank_code ?? null,
    bank_name: attempt.bank_name ?? null,
    code_no: attempt.code_no ?? null,
    installment_count: attempt.installment_count ?? null,
    installment_amount: attempt.installment_amount ?? null,
    refunding_state: attempt.refunding_state,
    refunded_amount: attempt.refunded_amount,
    paid_at: times.paid_at,
    refunded_at: times.refunded_at,
    refund_requested_at: times.refund_requested_at,
    // An existing payment keeps its time unless the attempt states one.
    ...(attempt.created_at === undefined ? {} : { created_at: times.created_at }),
  }
  const written = await tx
    .insert('payments', { ...columns, id: uuidv7(), trade_no, order_id, user_id: member_id })
    .onConflict((taken) =>
      taken
        .columns(['school_id', 'trade_no'])
        .doUpdateSet(columns)
        .where('payments.order_id', '=', order_id),
    )
    .returning('id')
    .executeTakeFirst()
  if (written !== undefined) return written.id
  throw conflict('taken', 'This trade number belongs to a payment of another order.')
}

async function writeParts(
  tx: SchoolTx,
  { lines, adjustments, invoice }: RecordedAttempt,
  times: Times,
  payment_id: string,
): Promise<void> {
  if (lines !== undefined) {
    await tx.delete('payment_lines').where('payment_id', '=', payment_id).execute()
    const priced = lines.map(({ title, quantity, unit_amount }, position) => {
      return { payment_id, position, title, quantity, unit_amount, amount: quantity * unit_amount }
    })
    if (priced.length > 0) await tx.insert('payment_lines', priced).execute()
  }
  if (adjustments !== undefined) {
    await tx.delete('payment_adjustments').where('payment_id', '=', payment_id).execute()
    const adjusted = adjustments.map((line, position) => ({ ...line, payment_id, position }))
    if (adjusted.length > 0) await tx.insert('payment_adjustments', adjusted).execute()
  }
  if (invoice === undefined) return
  await tx.delete('invoices').where('payment_id', '=', payment_id).execute()
  if (invoice === null) return
  const { number, url } = invoice
  const issued_at = dateOrNull(invoice.issued_at) ?? times.created_at
  await tx.insert('invoices', { payment_id, number, url, issued_at }).execute()
}

async function completeOrder(tx: SchoolTx, order: string, paidAt: Date): Promise<void> {
  await tx
    .update('orders')
    .set({ state: 'completed', completed_at: paidAt })
    .where('id', '=', order)
    .where('state', '=', 'open')
    .execute()
}
