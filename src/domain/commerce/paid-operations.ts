import { sql } from 'kysely'
import { tell } from '../notifications/notify.ts'
import { time } from '../operation/fields.ts'
import { changeOperation } from '../operation/object-operations.ts'
import { conflict, invalid } from '../operation/refusal.ts'
import { WITHOUT_SCOPE, writing } from '../operation/writing.ts'
import { openBought } from './bought-access.ts'
import { settleOrder } from './order-operations.ts'
import { loadWithOrder, message, type Payment, payments } from './payment-resource.ts'

/**
 * For a payment that never arrived at the checkout: cash, a transfer, a code that was paid late.
 */
export const canMarkPaid = ({ state }: Payment): boolean => state !== 'paid' && state !== 'refunded'

/** Once a refund was asked for or made, the payment is more than a mistake. */
export const canMarkUnpaid = ({ state, refunding_state }: Payment): boolean =>
  state === 'paid' && refunding_state === 'none'

export const markPaid = changeOperation({
  name: 'payments.mark_paid',
  title: 'Mark a payment as paid',
  summary:
    'Records that the money arrived: completes the order, opens its courses and downloads to the member, and tells them.',
  ...WITHOUT_SCOPE,
  of: payments,
  fields: {
    paid_at: time.nullable().default(null).meta({ description: 'Now if left out.' }),
    message,
  },
  async change(tx, caller, { id, if_version, paid_at, message: words }) {
    const payment = await loadWithOrder(tx, caller, id, if_version)
    if (!canMarkPaid(payment)) throw conflict('wrong_state', 'This payment is paid already.')
    if (paid_at !== null && Date.parse(paid_at) > Date.now()) {
      throw invalid('paid_at', 'out_of_range', 'Write a time that has passed.')
    }
    await writing(tx).update('payments', target(id), {
      state: 'paid',
      paid_at: paid_at ?? sql`now()`,
    })
    await settleOrder(tx, payment.order_id)
    await openBought(tx, payment.order_id)
    const { member_id, amount, currency, order_number } = payment
    const facts = { amount, currency, order_number, words }
    await tell(tx, 'payment_received', [member_id], facts)
  },
})

export const markUnpaid = changeOperation({
  name: 'payments.mark_unpaid',
  title: 'Mark a payment as not paid',
  summary:
    'For a payment that was marked as paid by mistake: it waits for its money again, and the order is open unless another payment completed it.',
  ...WITHOUT_SCOPE,
  of: payments,
  fields: { message },
  async change(tx, caller, { id, if_version, message: words }) {
    const payment = await loadWithOrder(tx, caller, id, if_version)
    if (!canMarkUnpaid(payment)) {
      throw conflict(
        'wrong_state',
        'Only a paid payment without a refund can be marked as not paid.',
      )
    }
    await writing(tx).update('payments', target(id), { state: 'pending', paid_at: null })
    await settleOrder(tx, payment.order_id)
    const { member_id, amount, currency, trade_no } = payment
    await tell(tx, 'payment_due', [member_id], { amount, currency, trade_no, words })
  },
})

const target = (id: string) => ({ object: 'payment', key: { id } })
