import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { tell } from '../notifications/notify.ts'
import {
  amount,
  currencyOrOwn,
  dateOrNull,
  id,
  line,
  text,
  time,
  webAddress,
} from '../operation/fields.ts'
import { conflict, invalid } from '../operation/refusal.ts'
import type { RowRules } from '../operation/row-rules.ts'
import { ITEM_COLUMNS, ITEM_KINDS } from './order-operations.ts'
import { adjustmentSchema } from './payment-resource.ts'
import {
  PAYMENT_STATES,
  PAYMENT_TYPES,
  type PaymentAdjustment,
  type PaymentState,
  type PaymentType,
  REFUNDING_STATES,
  type RefundingState,
} from './payments-of-member.ts'

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
  const before = await paymentBefore(tx, attempt)
  const payment = await writePayment(tx, attempt, times, order)
  await writeParts(tx, attempt, times, payment)
  if (times.paid_at !== null) await completeOrder(tx, order, times.paid_at)
  await tellPayer(tx, attempt, times, before)
  return payment
}

interface PaymentBefore {
  readonly state: string
  readonly code_no: string | null
}

/** The order is locked by now: of two notices about one payment, the second finds the first. */
async function paymentBefore(
  tx: SchoolTx,
  { trade_no }: RecordedAttempt,
): Promise<PaymentBefore | undefined> {
  return await tx
    .from('payments')
    .select(['state', 'code_no'])
    .where('trade_no', '=', trade_no)
    .executeTakeFirst()
}

/** Older attempts are a record of the past, of which members are not told. */
const NEWS_MS = 24 * 60 * 60 * 1000

async function tellPayer(
  tx: SchoolTx,
  attempt: RecordedAttempt,
  { created_at, paid_at }: Times,
  before: PaymentBefore | undefined,
): Promise<void> {
  const { state, member_id, amount, currency, trade_no, order_number, code_no, expires_at } =
    attempt
  const isNews = (since: Date) => since.getTime() > Date.now() - NEWS_MS
  if (state === 'paid' && before?.state !== 'paid' && paid_at !== null && isNews(paid_at)) {
    await tell(tx, 'payment_received', [member_id], { amount, currency, order_number, words: '' })
  }
  const until = expires_at ?? null
  const isOpen = state === 'pending' && (until === null || Date.parse(until) > Date.now())
  if (isOpen && code_no != null && code_no !== before?.code_no && isNews(created_at)) {
    await tell(tx, 'payment_code', [member_id], { amount, currency, trade_no, until })
  }
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
  // If two attempts at a new order come at the same time, the second waits here and finds the
  // order.
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

const boughtLine = z.strictObject({
  title: line(300),
  quantity: z.int().min(1).max(1_000_000).default(1),
  unit_amount: amount,
  kind: z.enum(ITEM_KINDS).default('other').meta({ description: 'What item_id is the id of.' }),
  item_id: id.nullable().default(null),
})

const invoice = z.strictObject({
  number: text(1, 64),
  issued_at: time.optional(),
  url: webAddress.nullable().default(null),
})

const instruction = (max: number) => text(1, max).nullable().default(null)

export const attemptFields = {
  trade_no: text(1, 64),
  order_number: text(1, 64).meta({ description: 'The same for every attempt at one purchase.' }),
  member_id: id,
  amount,
  currency: currencyOrOwn,
  payment_type: z
    .enum(PAYMENT_TYPES)
    .nullable()
    .meta({ description: 'Null until the member chooses one.' })
    .default(null),
  state: z.enum(PAYMENT_STATES).default('pending'),
  created_at: time.optional(),
  paid_at: time.nullable().default(null),
  expires_at: time.nullable().default(null),
  bank_code: instruction(20),
  bank_name: instruction(100),
  code_no: instruction(64),
  installment_count: z.int().min(2).max(60).nullable().default(null),
  installment_amount: amount.min(1).nullable().default(null),
  refunding_state: z.enum(REFUNDING_STATES).default('none'),
  refunded_amount: amount.default(0),
  refund_requested_at: time.nullable().default(null),
  refunded_at: time.nullable().default(null),
  lines: z.array(boughtLine).max(200).optional(),
  adjustments: z.array(adjustmentSchema).max(50).optional(),
  invoice: invoice.nullable().optional(),
}

/** The members of an attempt to pay that depend on each other. */
export interface Attempt {
  readonly amount: number
  readonly payment_type?: PaymentType | null | undefined
  readonly state: PaymentState
  readonly created_at?: string | undefined
  paid_at?: string | null | undefined
  readonly expires_at?: string | null | undefined
  readonly bank_code?: string | null | undefined
  readonly bank_name?: string | null | undefined
  readonly code_no?: string | null | undefined
  readonly installment_count?: number | null | undefined
  readonly installment_amount?: number | null | undefined
  readonly refunding_state: RefundingState
  readonly refunded_amount: number
  refund_requested_at?: string | null | undefined
  refunded_at?: string | null | undefined
  invoice?: z.output<typeof invoice> | null | undefined
}

const wasPaid = ({ state }: Attempt) => state === 'paid' || state === 'refunded'
const hasRefund = ({ refunding_state }: Attempt) =>
  refunding_state === 'refunded' || refunding_state === 'partially_refunded'

/**
 * Fills in times that the states need and the attempt lacks: they default to the time of the
 * attempt.
 */
export function completeAttempt(attempt: Attempt): void {
  const begun = attempt.created_at ?? new Date().toISOString()
  if (wasPaid(attempt)) attempt.paid_at ??= begun
  if (hasRefund(attempt)) attempt.refunded_at ??= attempt.paid_at ?? begun
  if (attempt.refunding_state !== 'none') {
    attempt.refund_requested_at ??= attempt.refunded_at ?? attempt.paid_at ?? begun
  }
  if (attempt.invoice != null) {
    const issued_at = attempt.invoice.issued_at ?? attempt.paid_at ?? begun
    attempt.invoice = { ...attempt.invoice, issued_at: new Date(issued_at).toISOString() }
  }
}

export const attemptRules: RowRules<Attempt> = [
  {
    field: 'paid_at',
    code: 'inconsistent',
    broken: (attempt) => attempt.paid_at != null && !wasPaid(attempt),
    detail: 'Only a paid or refunded payment has a time at which it was paid.',
  },
  {
    field: 'expires_at',
    code: 'inconsistent',
    broken: ({ state, expires_at }, _before, now) =>
      state === 'expired' && !(expires_at != null && Date.parse(expires_at) <= now),
    detail: 'Write when it expired: a time in the past.',
  },
  {
    field: 'bank_code',
    code: 'inconsistent',
    broken: ({ payment_type, bank_code, bank_name, code_no }) =>
      payment_type !== 'atm' &&
      payment_type !== 'convenience_store' &&
      [bank_code, bank_name, code_no].some((value) => value != null),
    detail: 'Only ATM and convenience-store payments have instructions.',
  },
  {
    field: 'installment_amount',
    code: 'inconsistent',
    broken: ({ installment_count, installment_amount }) =>
      (installment_count == null) !== (installment_amount == null),
    detail: 'Write both the number of installments and the amount of each, or neither.',
  },
  {
    field: 'refunding_state',
    code: 'inconsistent',
    broken: ({ state, refunding_state }) =>
      (state === 'refunded') !== (refunding_state === 'refunded'),
    detail: 'A payment is refunded when both its state and its refunding state say so.',
  },
  {
    field: 'refunding_state',
    code: 'inconsistent',
    broken: (attempt) => attempt.refunding_state !== 'none' && !wasPaid(attempt),
    detail: 'A payment that was not paid cannot be refunded.',
  },
  {
    field: 'refunded_amount',
    code: 'inconsistent',
    broken: (attempt) =>
      attempt.refunded_amount > attempt.amount ||
      attempt.refunded_amount > 0 !== hasRefund(attempt),
    detail: 'Write the refunded amount, at most the amount paid. Without a refund it is 0.',
  },
  {
    field: 'refunded_at',
    code: 'inconsistent',
    broken: (attempt) => attempt.refunded_at != null && !hasRefund(attempt),
    detail: 'Only a payment with a refund has a time of that refund.',
  },
  {
    field: 'refund_requested_at',
    code: 'inconsistent',
    broken: ({ refunding_state, refund_requested_at }) =>
      refund_requested_at != null && refunding_state === 'none',
    detail: 'Only a payment with a requested refund has a time of that request.',
  },
]
