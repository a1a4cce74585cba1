import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { currencyOf } from '../../foundation/text/currency.ts'
import type { Actor } from '../actor/actor.ts'
import { amount, currency, id, line, text, utc, version, wireTime } from '../operation/fields.ts'
import { conflict, notFound } from '../operation/refusal.ts'
import { expansionOf, loadObject, type Resource } from '../operation/resource.ts'
import { checkVersion } from '../operation/writing.ts'
import { memberSchema, members } from '../people/member-resource.ts'
import {
  ADJUSTMENT_KINDS,
  PAYMENT_STATES,
  PAYMENT_TYPES,
  REFUNDING_STATES,
} from './payments-of-member.ts'

export const adjustmentSchema = z.strictObject({
  kind: z.enum(ADJUSTMENT_KINDS),
  label: line(200),
  amount: z.int().max(0).min(-999_999_999_999).meta({ description: 'Zero or less.' }),
})

const paymentSchema = z
  .strictObject({
    object: z.literal('payment'),
    id,
    trade_no: text(1, 64),
    order_id: id,
    order_number: text(1, 64),
    member_id: id,
    amount,
    currency,
    payment_type: z.enum(PAYMENT_TYPES).nullable(),
    state: z.enum(PAYMENT_STATES),
    paid_at: utc.nullable(),
    expires_at: utc.nullable(),
    bank_code: z.string().nullable(),
    bank_name: z.string().nullable(),
    code_no: z.string().nullable(),
    installment_count: z.int().nullable(),
    installment_amount: amount.nullable(),
    refunding_state: z.enum(REFUNDING_STATES),
    refunded_amount: amount,
    refund_requested_at: utc.nullable(),
    refunded_at: utc.nullable(),
    lines: z.array(
      z.strictObject({ title: line(300), quantity: z.int().min(1), unit_amount: z.int() }),
    ),
    adjustments: z.array(adjustmentSchema),
    invoice: z
      .strictObject({ number: z.string(), issued_at: utc, url: z.string().nullable() })
      .nullable(),
    created_at: utc,
    updated_at: utc,
    version,
    member: memberSchema.nullable().optional(),
  })
  .meta({ id: 'Payment' })

export type Payment = z.output<typeof paymentSchema>

const LINES = sql`
  (select coalesce(json_agg(json_build_object('title', l.title, 'quantity', l.quantity,
      'unit_amount', l.unit_amount) order by l.position), '[]')
   from payment_lines l where l.school_id = p.school_id and l.payment_id = p.id) as lines`

const ADJUSTMENTS = sql`
  (select coalesce(json_agg(json_build_object('kind', a.kind, 'label', a.label,
      'amount', a.amount) order by a.position), '[]')
   from payment_adjustments a where a.school_id = p.school_id and a.payment_id = p.id) as adjustments`

/**
 * A pending payment past its time is shown as expired; no job writes that state. A left join of the
 * order, although every payment has one: a count then need not look for it.
 */
export const payments: Resource<typeof paymentSchema> = {
  object: 'payment',
  schema: paymentSchema,
  rows: (db) => sql`
    select p.id, p.trade_no, p.order_id, o.number as order_number, p.user_id as member_id, p.amount,
      p.currency, p.payment_type,
      case when p.state = 'pending' and p.expires_at <= now() then 'expired' else p.state end as state,
      p.paid_at, p.expires_at, p.bank_code, p.bank_name, p.code_no, p.installment_count,
      p.installment_amount, p.refunding_state, p.refunded_amount, p.refund_requested_at,
      p.refunded_at, ${LINES}, ${ADJUSTMENTS},
      case when v.payment_id is not null then json_build_object('number', v.number,
        'issued_at', ${wireTime('v.issued_at')}, 'url', v.url) end as invoice,
      p.created_at, p.updated_at, p.version, p.state as filter_state
    from payments p
      left join orders o on o.school_id = p.school_id and o.id = p.order_id
      left join invoices v on v.school_id = p.school_id and v.payment_id = p.id
    where p.school_id = ${db.schoolId}`,
  expansions: { member: expansionOf(members, 'member_id', ['members:read']) },
}

/**
 * A payment of an order that is not canceled. Locks the order before the payment, like an attempt
 * that is recorded, so that the two cannot deadlock.
 */
export async function loadWithOrder(
  tx: SchoolTx,
  caller: Actor,
  id: string,
  ifVersion: number | undefined,
): Promise<Payment> {
  const { rows } = await tx.run(sql<{ state: string }>`
    select o.state from orders o
    where o.school_id = ${tx.schoolId} and o.id = (
      select order_id from payments where school_id = ${tx.schoolId} and id = ${id})
    for update`)
  const [order] = rows
  if (order === undefined) throw notFound('payment')
  await checkVersion(tx, 'payments', { object: 'payment', key: { id }, ifVersion })
  if (order.state === 'canceled') {
    throw conflict('canceled', 'The order of this payment is canceled. Reopen the order first.')
  }
  return await loadObject(tx, caller, payments, id)
}

/** What the member reads besides the facts; shown as plain text. */
export const message = text(0, 1000).default('').meta({ description: 'Added to the notification.' })

export function formatted(amount: number, { currency }: { readonly currency: string }): string {
  return currencyOf(currency).format(amount)
}
