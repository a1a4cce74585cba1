import type { AttemptSketch, PaymentType, PurchaseSketch } from './content/school-content.ts'
import { type Adjustment, adjustmentsOf, type Line, lineOf } from './courses.ts'
import { personId } from './people.ts'
import { demoDigits, idAt, type Stage, varietyOf } from './stage.ts'

export function addPurchases(
  stage: Stage,
  who: string,
  purchases: readonly PurchaseSketch[],
): void {
  for (const sketch of purchases) {
    const purchase = priced(stage, who, sketch)
    const payments = sketch.attempts.map((attempt, i) => addPayment(stage, purchase, attempt, i))
    addOrder(stage, purchase, sketch, {
      created: payments[0]?.created ?? stage.clock.now,
      paidAt: payments.find(({ paidAt }) => paidAt !== null)?.paidAt ?? null,
    })
  }
}

function priced(stage: Stage, who: string, sketch: PurchaseSketch): PricedPurchase {
  const lines = sketch.goods.map((good) => lineOf(stage, good))
  const subtotal = lines.reduce((sum, line) => sum + line.quantity * line.unitAmount, 0)
  const adjustments = adjustmentsOf(stage, sketch, subtotal)
  const amount = adjustments.reduce((sum, adjustment) => sum + adjustment.amount, subtotal)
  return {
    key: sketch.key,
    orderId: idAt(stage, 'order', sketch.key),
    userId: personId(who),
    lines,
    adjustments,
    amount,
  }
}

function addOrder(
  stage: Stage,
  purchase: PricedPurchase,
  sketch: PurchaseSketch,
  { created, paidAt }: { readonly created: Date; readonly paidAt: Date | null },
): void {
  const { schoolId, rows, school } = stage
  const state = orderState(sketch.attempts)
  const { orderId, userId, key } = purchase
  rows.add('orders', {
    school_id: schoolId,
    id: orderId,
    number: `ORD-${demoDigits(`${school.key}/order/${key}`, 9)}`,
    user_id: userId,
    state,
    total_amount: purchase.amount,
    currency: school.currency,
    completed_at: paidAt,
    created_at: created,
  })
  for (const [position, line] of purchase.lines.entries()) {
    rows.add('order_items', {
      school_id: schoolId,
      order_id: orderId,
      position,
      title: line.title,
      quantity: line.quantity,
      unit_amount: line.unitAmount,
      ...line.references,
    })
  }
  if (sketch.coupon !== undefined && state !== 'canceled') {
    rows.add('coupon_redemptions', {
      school_id: schoolId,
      id: idAt(stage, 'redemption', key),
      coupon_id: idAt(stage, 'coupon', sketch.coupon),
      order_id: orderId,
      user_id: userId,
      redeemed_at: created,
    })
  }
}

function orderState(attempts: readonly AttemptSketch[]): 'open' | 'completed' | 'canceled' {
  if (attempts.some(({ outcome }) => outcome === 'paid' || outcome === 'refunded')) {
    return 'completed'
  }
  const mayStillBePaid = attempts.some(
    ({ outcome, expiresInDays = 0 }) => outcome === 'pending' && expiresInDays > 0,
  )
  return mayStillBePaid ? 'open' : 'canceled'
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** How long the number for a bank transfer, or the code for a store, is valid. */
const VALID_DAYS = { atm: 3, convenience_store: 7 } as const

/** A purchase with its price; each attempt to pay it becomes a payment. */
interface PricedPurchase {
  readonly key: string
  readonly orderId: string
  readonly userId: string
  readonly lines: readonly Line[]
  readonly adjustments: readonly Adjustment[]
  readonly amount: number
}

/** Adds one attempt to pay, with the lines as they were at the time. Returns its time. */
function addPayment(
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
