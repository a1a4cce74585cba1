import type { AttemptSketch, PurchaseSketch } from './content/school-content.ts'
import { demoDigits } from './demo-id.ts'
import { adjustmentsOf, lineOf } from './goods.ts'
import { addPayment, type PricedPurchase } from './payments.ts'
import { personId } from './people.ts'
import { idAt, type Stage } from './stage.ts'

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
