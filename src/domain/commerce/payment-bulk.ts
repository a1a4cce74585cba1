import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { byName } from '../bulk/stand-in.ts'
import type { PlannedRow } from '../bulk/table-details.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { amount, currency, id, line, stamps, text, time, utc } from '../operation/fields.ts'
import { invalid } from '../operation/refusal.ts'
import type { Resource } from '../operation/resource.ts'
import { wireTime } from '../operation/wire-sql.ts'
import { schoolCurrency } from '../schools/school-currency.ts'
import { ADJUSTMENT_KINDS } from './payment-lines.ts'
import { PAYMENT_STATES, PAYMENT_TYPES, REFUNDING_STATES } from './payments-of-member.ts'

const lineSchema = z.strictObject({
  title: line(300),
  quantity: z.int().min(1).max(1_000_000),
  unit_amount: z.int(),
  amount: z.int(),
})

const adjustmentSchema = z.strictObject({
  kind: z.enum(ADJUSTMENT_KINDS),
  label: line(200),
  amount: z.int().max(0).meta({ description: 'What it takes off, so never above zero.' }),
})

const webAddress = z.url({ protocol: /^https?$/ }).max(2000)

const invoiceSchema = z.strictObject({
  number: text(1, 64),
  issued_at: time,
  url: webAddress.nullable(),
})

const paymentSchema = z
  .strictObject({
    object: z.literal('payment'),
    id,
    order_id: id,
    member_id: id.meta({ description: 'Whose order it is.' }),
    trade_no: text(1, 64),
    amount,
    currency,
    payment_type: z.enum(PAYMENT_TYPES).nullable(),
    state: z.enum(PAYMENT_STATES),
    created_at: utc,
    paid_at: utc.nullable(),
    expires_at: utc.nullable(),
    bank_code: text(1, 20).nullable(),
    bank_name: text(1, 100).nullable(),
    code_no: text(1, 64).nullable(),
    installment_count: z.int().min(2).max(60).nullable(),
    installment_amount: amount.min(1).nullable(),
    refunding_state: z.enum(REFUNDING_STATES),
    refunded_amount: amount,
    refund_requested_at: utc.nullable(),
    refunded_at: utc.nullable(),
    lines: z.array(lineSchema),
    adjustments: z.array(adjustmentSchema),
    invoice: invoiceSchema.nullable(),
    updated_at: stamps.updated_at,
    version: stamps.version,
  })
  .meta({ id: 'Payment' })

const payments: Resource<typeof paymentSchema> = {
  object: 'payment',
  schema: paymentSchema,
  // A pending payment past its time reads as expired; no job writes that.
  rows: (at) => sql`
    select p.id, p.order_id, p.user_id as member_id, p.trade_no, p.amount, p.currency, p.payment_type,
      case when p.state = 'pending' and p.expires_at <= now() then 'expired' else p.state end as state,
      p.created_at, p.paid_at, p.expires_at, p.bank_code, p.bank_name, p.code_no, p.installment_count,
      p.installment_amount, p.refunding_state, p.refunded_amount, p.refund_requested_at, p.refunded_at,
      (select coalesce(json_agg(json_build_object('title', l.title, 'quantity', l.quantity,
          'unit_amount', l.unit_amount, 'amount', l.amount) order by l.position), '[]')
       from payment_lines l where l.school_id = p.school_id and l.payment_id = p.id) as lines,
      (select coalesce(json_agg(json_build_object('kind', a.kind, 'label', a.label, 'amount', a.amount)
          order by a.position), '[]')
       from payment_adjustments a where a.school_id = p.school_id and a.payment_id = p.id) as adjustments,
      (select json_build_object('number', i.number, 'issued_at', ${wireTime('i.issued_at')}, 'url', i.url)
       from invoices i where i.school_id = p.school_id and i.payment_id = p.id) as invoice,
      p.updated_at, p.version
    from payments p where p.school_id = ${at.schoolId}`,
}

const { shape } = paymentSchema

export const paymentKind = tableKind({
  name: 'payments',
  about: 'Every attempt to pay for an order; a retried checkout has several.',
  of: payments,
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
    order_id: { schema: id, needed: true, fixed: true },
    trade_no: { schema: shape.trade_no, needed: true },
    amount: { schema: amount, needed: true },
    currency: { schema: currency, note: 'the school’s own unless given' },
    payment_type: { schema: shape.payment_type, note: 'empty while none was chosen' },
    state: { schema: shape.state, default: 'pending' },
    created_at: { schema: time, note: 'now unless given' },
    paid_at: { schema: time.nullable() },
    expires_at: { schema: time.nullable() },
    bank_code: { schema: shape.bank_code },
    bank_name: { schema: shape.bank_name },
    code_no: { schema: shape.code_no },
    installment_count: { schema: shape.installment_count },
    installment_amount: { schema: shape.installment_amount },
    refunding_state: { schema: shape.refunding_state, default: 'none' },
    refunded_amount: { schema: amount, default: 0 },
    refund_requested_at: { schema: time.nullable() },
    refunded_at: { schema: time.nullable() },
    lines: { schema: shape.lines.max(200), default: [] },
    adjustments: { schema: shape.adjustments.max(50), default: [] },
    invoice: { schema: invoiceSchema.nullable() },
  },
  stored: { member_id: 'user_id' },
  derived: ['member_id'],
  now: ['created_at'],
  standIns: { order_number: byName('order_id', { table: 'orders', by: 'number' }) },
  lists: {
    lines: {
      table: 'payment_lines',
      owner: 'payment_id',
      columns: ['position', 'title', 'quantity', 'unit_amount', 'amount'],
      rows: (lines: readonly object[]) => lines.map((row, position) => ({ ...row, position })),
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
      rows: (invoice: Record<string, unknown> | null) => (invoice === null ? [] : [invoice]),
    },
  },
  defaults: async (tx) => ({ currency: await schoolCurrency(tx) }),
  settle({ values, before }) {
    const invoice = values.invoice as z.output<typeof invoiceSchema> | null | undefined
    if (invoice != null) {
      values.invoice = { ...invoice, issued_at: new Date(invoice.issued_at).toISOString() }
    }
    // Expiry is not stored, the clock decides it: both words mean the same row.
    const waiting = ['pending', 'expired']
    if (waiting.includes(String(values.state)) && waiting.includes(String(before?.state))) {
      delete values.state
      return
    }
    if (values.state !== 'expired') return
    const end = values.expires_at ?? before?.expires_at
    if (typeof end !== 'string' || Date.parse(end) > Date.now()) {
      throw invalid(
        'expires_at',
        'inconsistent',
        'An expired payment needs a time that has passed.',
      )
    }
    values.state = 'pending'
  },
  inspect: findMembers,
})

/** A payment is made by whoever placed the order. */
async function findMembers(tx: SchoolTx, rows: readonly PlannedRow[]): Promise<void> {
  const fresh = rows.filter(({ outcome }) => outcome === 'created')
  const asked = [...new Set(fresh.map(({ values }) => values.order_id))]
  const { rows: found } = await tx.run(sql<{ id: string; user_id: string }>`
    select id, user_id from orders where school_id = ${tx.schoolId} and id = any(${asked}::uuid[])`)
  const members = new Map(found.map((order) => [order.id, order.user_id]))
  for (const row of fresh) {
    const member = members.get(String(row.values.order_id))
    if (member === undefined) row.outcome = unknownOrder
    else row.values.member_id = member
  }
}

const unknownOrder = {
  kind: 'invalid',
  problems: [
    {
      pointer: '/order_id',
      code: 'unknown_reference',
      detail: 'There is no order with this id at this school. Import the orders first.',
    },
  ],
} as const
