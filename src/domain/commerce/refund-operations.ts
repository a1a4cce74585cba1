import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor/actor.ts'
import { tell } from '../notifications/notify.ts'
import { amount as amountField } from '../operation/fields.ts'
import { changeOperation } from '../operation/object-operations.ts'
import { conflict, invalid } from '../operation/refusal.ts'
import { loadObject } from '../operation/resource.ts'
import { checkVersion, WITHOUT_SCOPE, writing } from '../operation/writing.ts'
import { closeBought } from './bought-access.ts'
import { formatted, loadWithOrder, message, type Payment, payments } from './payment-resource.ts'
import type { PaymentState, RefundingState } from './payments-of-member.ts'

/** What of a payment decides about its refund. */
interface Refundable {
  readonly state: PaymentState
  readonly refunding_state: RefundingState
  readonly amount: number
  readonly refunded_amount: number
  readonly refund_requested_at: string | null
  readonly refunded_at: string | null
}

/** The part of a payment that can still be refunded; 0 if it was never paid. */
export function leftToRefund({ state, amount, refunded_amount }: Refundable): number {
  return state === 'paid' ? amount - refunded_amount : 0
}

export const canRefund = (payment: Refundable): boolean => leftToRefund(payment) > 0

export const isRefundAsked = ({ refunding_state }: Refundable): boolean =>
  refunding_state === 'requested'

/** An answer can be taken back: a request then waits again. */
export const isRefundAnswered = ({ refunding_state }: Refundable): boolean =>
  refunding_state !== 'none' && refunding_state !== 'requested'

/**
 * A refund without a request has the same two times; see `refundPayment` and the times of recorded
 * payments.
 */
export const wasRefundAsked = ({ refund_requested_at, refunded_at }: Refundable): boolean =>
  refund_requested_at !== null && refund_requested_at !== refunded_at

export const refundPayment = changeOperation({
  name: 'payments.refund',
  title: 'Refund a payment',
  summary:
    'Records that a payment was refunded, as a whole or in part, and tells the member. No money is moved.',
  ...WITHOUT_SCOPE,
  of: payments,
  needsVersion: true,
  fields: {
    amount: amountField,
    end_access: z.boolean().default(false).meta({
      description: 'Whether access to the courses and downloads of the order ends, too.',
    }),
    message,
  },
  async change(tx, caller, { id, if_version, amount, end_access, message: words }) {
    const payment = await loadLocked(tx, caller, id, if_version)
    if (!canRefund(payment)) {
      throw conflict('wrong_state', 'Nothing of this payment is left to refund.')
    }
    const left = leftToRefund(payment)
    if (amount < 1 || amount > left) {
      const detail = `Write an amount up to ${formatted(left, payment)}, which is left to refund.`
      throw invalid('amount', 'inconsistent', detail)
    }
    const isWhole = amount === left
    await writing(tx).update('payments', target(id), {
      state: isWhole ? 'refunded' : 'paid',
      refunding_state: isWhole ? 'refunded' : 'partially_refunded',
      refunded_amount: payment.refunded_amount + amount,
      refunded_at: sql`now()`,
      ...(wasRefundAsked(payment) ? {} : { refund_requested_at: sql`now()` }),
    })
    if (end_access) await closeBought(tx, payment.order_id)
    const { member_id, currency, trade_no } = payment
    const facts = { amount, currency, trade_no, is_whole: isWhole, words }
    await tell(tx, 'refund_completed', [member_id], facts)
  },
})

export const refuseRefund = changeOperation({
  name: 'payments.refuse_refund',
  title: 'Refuse a refund',
  summary: 'Answers a request for a refund with no, and tells the member.',
  ...WITHOUT_SCOPE,
  of: payments,
  needsVersion: true,
  fields: { message },
  async change(tx, caller, { id, if_version, message: words }) {
    const payment = await loadLocked(tx, caller, id, if_version)
    if (!isRefundAsked(payment)) {
      throw conflict('wrong_state', 'There is no request for a refund to answer.')
    }
    await writing(tx).update('payments', target(id), { refunding_state: 'rejected' })
    const { member_id, amount, currency, trade_no } = payment
    await tell(tx, 'refund_refused', [member_id], { amount, currency, trade_no, words })
  },
})

export const undoRefund = changeOperation({
  name: 'payments.undo_refund',
  title: 'Undo the answer to a refund',
  summary:
    'For an answer that was recorded by mistake: nothing counts as refunded, and a request waits again. Access that the refund ended stays ended.',
  ...WITHOUT_SCOPE,
  of: payments,
  needsVersion: true,
  fields: {},
  async change(tx, caller, { id, if_version }) {
    const payment = await loadWithOrder(tx, caller, id, if_version)
    if (!isRefundAnswered(payment)) {
      throw conflict('wrong_state', 'This payment has no refund that could be undone.')
    }
    const wasAsked = wasRefundAsked(payment)
    await writing(tx).update('payments', target(id), {
      state: 'paid',
      refunding_state: wasAsked ? 'requested' : 'none',
      refunded_amount: 0,
      refunded_at: null,
      ...(wasAsked ? {} : { refund_requested_at: null }),
    })
    const { member_id, trade_no } = payment
    await tell(tx, wasAsked ? 'refund_requested' : 'refund_withdrawn', [member_id], { trade_no })
  },
})

const target = (id: string) => ({ object: 'payment', key: { id } })

/** The payment, locked, so that two operators cannot answer at the same time. */
async function loadLocked(
  tx: SchoolTx,
  caller: Actor,
  id: string,
  ifVersion: number | undefined,
): Promise<Payment> {
  await checkVersion(tx, 'payments', { ...target(id), ifVersion })
  return await loadObject(tx, caller, payments, id)
}
