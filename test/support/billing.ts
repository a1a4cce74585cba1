import { randomBytes } from 'node:crypto'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import type { TestPerson, TestSchool } from './world.ts'

export interface PaymentSketch {
  readonly orderId?: string
  readonly type?: 'credit_card' | 'atm' | 'convenience_store' | 'free' | null
  readonly state?: 'pending' | 'paid' | 'failed' | 'refunded'
  readonly amount?: number
  readonly createdAt?: Date
  readonly expiresAt?: Date
  readonly bank?: { readonly code: string; readonly name: string; readonly codeNo: string }
  readonly installments?: number
  readonly refund?: {
    readonly state: 'requested' | 'partially_refunded' | 'refunded' | 'rejected'
    readonly amount?: number
  }
  readonly invoice?: string
  readonly lines?: readonly { readonly title: string; readonly amount: number }[]
  readonly coupon?: { readonly code: string; readonly off: number }
}

export async function anOrder(school: TestSchool, person: TestPerson): Promise<string> {
  const id = uuidv7()
  await school.db
    .insert('orders', {
      id,
      user_id: person.id,
      number: `ORDER-${randomBytes(6).toString('hex')}`,
      state: 'open',
      currency: 'TWD',
      total_amount: 1000,
    })
    .execute()
  return id
}

/** One payment attempt, by default paid by card; returns its tradeNo. */
export async function aPayment(
  school: TestSchool,
  person: TestPerson,
  sketch: PaymentSketch = {},
): Promise<string> {
  const id = uuidv7()
  const tradeNo = `T${randomBytes(8).toString('hex')}`
  const state = sketch.state ?? 'paid'
  const amount = sketch.amount ?? 1000
  const refund = sketch.refund?.state
  await school.db
    .insert('payments', {
      id,
      order_id: sketch.orderId ?? (await anOrder(school, person)),
      user_id: person.id,
      trade_no: tradeNo,
      amount,
      currency: 'TWD',
      payment_type: sketch.type === undefined ? 'credit_card' : sketch.type,
      state,
      created_at: sketch.createdAt ?? new Date(),
      paid_at: state === 'paid' || state === 'refunded' ? new Date() : null,
      expires_at: sketch.expiresAt ?? null,
      bank_code: sketch.bank?.code ?? null,
      bank_name: sketch.bank?.name ?? null,
      code_no: sketch.bank?.codeNo ?? null,
      installment_count: sketch.installments ?? null,
      installment_amount:
        sketch.installments === undefined ? null : Math.ceil(amount / sketch.installments),
      refunding_state: refund ?? 'none',
      refunded_amount: sketch.refund?.amount ?? 0,
      refund_requested_at: refund === undefined ? null : new Date(),
      refunded_at: refund === 'refunded' || refund === 'partially_refunded' ? new Date() : null,
    })
    .execute()
  await addDetails(school, id, sketch)
  return tradeNo
}

async function addDetails(school: TestSchool, id: string, sketch: PaymentSketch): Promise<void> {
  for (const [position, { title, amount }] of (sketch.lines ?? []).entries()) {
    await school.db
      .insert('payment_lines', { payment_id: id, position, title, unit_amount: amount, amount })
      .execute()
  }
  if (sketch.coupon !== undefined) {
    const { code, off } = sketch.coupon
    await school.db
      .insert('payment_adjustments', {
        payment_id: id,
        position: 0,
        kind: 'coupon',
        label: code,
        amount: -off,
      })
      .execute()
  }
  if (sketch.invoice !== undefined) {
    await school.db.insert('invoices', { payment_id: id, number: sketch.invoice }).execute()
  }
}
