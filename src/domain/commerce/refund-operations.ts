import { sql } from 'kysely'
import type { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { currencyOf } from '../../foundation/text/currency.ts'
import type { Actor } from '../actor.ts'
import { notify } from '../notifications/notify.ts'
import { amount as amountField, text } from '../operation/fields.ts'
import { changeOperation } from '../operation/object-operations.ts'
import { conflict, invalid } from '../operation/refusal.ts'
import { loadObject } from '../operation/resource.ts'
import { WITHOUT_SCOPE } from '../operation/without-scope.ts'
import { checkVersion, writing } from '../operation/writing.ts'
import { payments } from './payment-resource.ts'
import { canRefund, isRefundAnswered, isRefundAsked, leftToRefund } from './refund-rules.ts'

type Payment = z.output<typeof payments.schema>

/** What the member reads besides the facts; shown as plain text. */
const message = text(0, 1000).default('').meta({ description: 'Added to the notification.' })

const formatted = (amount: number, { currency }: Payment) => currencyOf(currency).format(amount)

/**
 * Money is refunded once: a form that is sent twice names a version that is gone by the second time, so the version is
 * not optional here.
 */
export const refundPayment = {
  ...changeOperation({
    name: 'payments.refund',
    title: 'Refund a payment',
    summary:
      'Records that a payment was refunded, as a whole or in part, and tells the member. No money is moved.',
    ...WITHOUT_SCOPE,
    of: payments,
    fields: { amount: amountField, message },
    async change(tx, caller, { id, if_version, amount, message: words }) {
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
        refund_requested_at: sql`coalesce(refund_requested_at, now())`,
      })
      await tell(tx, payment, {
        kind: 'refund_completed',
        title: isWhole ? 'Your payment was refunded' : 'A part of your payment was refunded',
        body: withWords(
          `${formatted(amount, payment)} of payment ${payment.trade_no} was refunded.`,
          words,
        ),
      })
    },
  }),
  audit: ({ id, currency }: Payment, { amount }: { readonly amount: number }) => [
    {
      action: 'operation.done' as const,
      subject: id,
      detail: { operation: 'payments.refund', amount, currency },
    },
  ],
}

export const refuseRefund = changeOperation({
  name: 'payments.refuse_refund',
  title: 'Refuse a refund',
  summary: 'Answers a request for a refund with no, and tells the member.',
  ...WITHOUT_SCOPE,
  of: payments,
  fields: { message },
  async change(tx, caller, { id, if_version, message: words }) {
    const payment = await loadLocked(tx, caller, id, if_version)
    if (!isRefundAsked(payment)) {
      throw conflict('wrong_state', 'There is no request for a refund to answer.')
    }
    await writing(tx).update('payments', target(id), { refunding_state: 'rejected' })
    await tell(tx, payment, {
      kind: 'refund_refused',
      title: 'Your refund request was refused',
      body: withWords(
        `Payment ${payment.trade_no} of ${formatted(payment.amount, payment)} is not refunded.`,
        words,
      ),
    })
  },
})

export const undoRefund = changeOperation({
  name: 'payments.undo_refund',
  title: 'Undo the answer to a refund',
  summary:
    'For an answer that was recorded by mistake: nothing counts as refunded, and the request waits again.',
  ...WITHOUT_SCOPE,
  of: payments,
  fields: {},
  async change(tx, caller, { id, if_version }) {
    const payment = await loadLocked(tx, caller, id, if_version)
    if (!isRefundAnswered(payment)) {
      throw conflict('wrong_state', 'This payment has no refund that could be undone.')
    }
    await writing(tx).update('payments', target(id), {
      state: 'paid',
      refunding_state: 'requested',
      refunded_amount: 0,
      refunded_at: null,
    })
    await tell(tx, payment, {
      kind: 'refund_requested',
      title: 'Your refund is looked at again',
      body: `The answer about payment ${payment.trade_no} was recorded by mistake. You will be told of the new one.`,
    })
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
  if (ifVersion === undefined) {
    throw invalid('if_version', 'required', 'Open the page of the payment again.')
  }
  await checkVersion(tx, 'payments', { ...target(id), ifVersion })
  return await loadObject(tx, caller, payments, id)
}

function withWords(facts: string, words: string): string {
  return words.trim() === '' ? facts : `${facts}\n\n${words.trim()}`
}

async function tell(
  tx: SchoolTx,
  { member_id }: Payment,
  told: { readonly kind: string; readonly title: string; readonly body: string },
): Promise<void> {
  await notify(tx, 'payments', [member_id], { ...told, url: '/account' })
}
