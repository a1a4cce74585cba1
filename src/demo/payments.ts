import type { AttemptSketch, PaymentType } from './content/school-content.ts'
import { demoDigits } from './demo-id.ts'
import type { Adjustment, Line } from './goods.ts'
import { idAt, type Stage } from './stage.ts'
import { varietyOf } from './variety.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** How long the number for a bank transfer, or the code for a store, is valid. */
const VALID_DAYS = { atm: 3, convenience_store: 7 } as const

/** A purchase with its price; each attempt to pay it becomes a payment. */
export interface PricedPurchase {
  readonly key: string
  readonly orderId: string
  readonly userId: string
  readonly lines: readonly Line[]
  readonly adjustments: readonly Adjustment[]
  readonly amount: number
}

/** Adds one attempt to pay, with the lines as they were at the time. Returns its time. */
export function addPayment(
  stage: Stage,
  purchase: PricedPurchase,
  attempt: AttemptSketch,
  index: number,
): { readonly created: Date; readonly paidAt: Date | null } {
  const { school, schoolId, clock, rows } = stage
  const key = `${purchase.key}/${index}`
  const id = idAt(stage, 'payment', key)
  const { amount, orderId, userId } = purchase
  const created = clock.at(-attempt.daysAgo, attempt.time ?? timeOf(key))
  const isPaid = attempt.outcome === 'paid' || attempt.outcome === 'refunded'
  const paidAt = isPaid ? paymentTime(attempt, created) : null
  rows.add('payments', {
    school_id: schoolId,
    id,
    order_id: orderId,
    user_id: userId,
    trade_no: `TN${demoDigits(`${school.key}/trade/${key}`, 12)}`,
    amount,
    currency: school.currency,
    payment_type: attempt.type,
    state: attempt.outcome,
    created_at: created,
    paid_at: paidAt,
    expires_at: expiryOf(stage, attempt, created),
    ...instructionsOf(stage, attempt.type, key),
    ...installmentsOf(attempt, amount),
    ...refundOf(stage, attempt, amount),
    updated_at: paidAt ?? created,
  })
  for (const [position, line] of purchase.lines.entries()) {
    rows.add('payment_lines', {
      school_id: schoolId,
      payment_id: id,
      position,
      title: line.title,
      quantity: line.quantity,
      unit_amount: line.unitAmount,
      amount: line.quantity * line.unitAmount,
    })
  }
  for (const [position, adjustment] of purchase.adjustments.entries()) {
    rows.add('payment_adjustments', {
      school_id: schoolId,
      payment_id: id,
      position,
      ...adjustment,
    })
  }
  if (attempt.invoice === true && paidAt !== null && amount > 0) {
    const number = `INV-${demoDigits(`${school.key}/invoice/${key}`, 8)}`
    const url = `https://invoices.${school.key}.test/${number}`
    rows.add('invoices', { school_id: schoolId, payment_id: id, number, issued_at: paidAt, url })
  }
  return { created, paidAt }
}

function timeOf(key: string): string {
  const variety = varietyOf(`payment/${key}`)
  return `${String(variety.integer(1, 21)).padStart(2, '0')}:${variety.pick(['00', '15', '30', '45'])}`
}

function isByInstruction(type: PaymentType | null): type is keyof typeof VALID_DAYS {
  return type === 'atm' || type === 'convenience_store'
}

/** A card is charged at once; a bank transfer or a payment at a store takes some hours. */
function paymentTime({ type, daysAgo }: AttemptSketch, created: Date): Date {
  const minutes = isByInstruction(type) && daysAgo > 1 ? 14 * 60 : 2
  return new Date(created.getTime() + minutes * MINUTE)
}

function expiryOf(stage: Stage, attempt: AttemptSketch, created: Date): Date | null {
  if (attempt.outcome === 'pending') return stage.clock.at(attempt.expiresInDays ?? 1, '15:59')
  if (!isByInstruction(attempt.type)) return null
  return new Date(created.getTime() + VALID_DAYS[attempt.type] * DAY)
}

function instructionsOf({ school }: Stage, type: PaymentType | null, key: string) {
  if (!isByInstruction(type)) return {}
  const [bank_code, bank_name] = type === 'atm' ? school.payAt.bank : school.payAt.store
  const digits = demoDigits(`${school.key}/code/${key}`, 14)
  return { bank_code, bank_name, code_no: type === 'atm' ? digits : `CVS${digits.slice(0, 11)}` }
}

/** All installments are equal, except the last one, which may be smaller. */
function installmentsOf({ installments }: AttemptSketch, amount: number) {
  if (installments === undefined) return {}
  return {
    installment_count: installments,
    installment_amount: Math.ceil(amount / installments),
  }
}

function refundOf({ clock }: Stage, { refund }: AttemptSketch, amount: number) {
  if (refund === undefined) return {}
  const { state, requestedDaysAgo, settledDaysAgo, share = 1 } = refund
  return {
    refunding_state: state,
    refund_requested_at: clock.at(-requestedDaysAgo, '03:00'),
    refunded_at: settledDaysAgo === undefined ? null : clock.at(-settledDaysAgo, '07:00'),
    refunded_amount: settledDaysAgo === undefined ? 0 : Math.round(amount * share),
  }
}
