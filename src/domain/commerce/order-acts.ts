import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { changeOperation } from '../operation/object-operations.ts'
import { conflict } from '../operation/refusal.ts'
import { loadObject } from '../operation/resource.ts'
import { WITHOUT_SCOPE } from '../operation/without-scope.ts'
import { checkVersion, writing } from '../operation/writing.ts'
import { closeBought } from './bought-access.ts'
import { type Order, orders } from './order-operations.ts'
import { message, tellPayer, withWords } from './tell-payer.ts'

/** Money that the school keeps is refunded first: a canceled order has none. Of a free payment there is nothing to refund. */
export const canCancelOrder = ({ state, payments }: Order): boolean =>
  state !== 'canceled' &&
  payments.every((payment) => payment.state !== 'paid' || payment.amount === 0)

export const isCanceled = ({ state }: Order): boolean => state === 'canceled'

export const cancelOrder = changeOperation({
  name: 'orders.cancel',
  title: 'Cancel an order',
  summary:
    'Ends an order that is not paid, or whose payments were refunded. Codes to pay with stop to count, and the member is told.',
  ...WITHOUT_SCOPE,
  of: orders,
  fields: {
    end_access: z.boolean().default(false).meta({
      description: 'Whether access to the courses and downloads of the order ends, too.',
    }),
    message,
  },
  async change(tx, caller, { id, if_version, end_access, message: words }) {
    await checkVersion(tx, 'orders', { ...target(id), ifVersion: if_version })
    const order = await loadObject(tx, caller, orders, id)
    if (!canCancelOrder(order)) {
      throw conflict(
        'wrong_state',
        isCanceled(order)
          ? 'The order is canceled already.'
          : 'The order is paid. Refund its payments first.',
      )
    }
    await writing(tx).update('orders', target(id), { state: 'canceled', completed_at: null })
    await tx
      .update('payments')
      .set({ state: 'failed' })
      .where('order_id', '=', id)
      .where('state', '=', 'pending')
      .execute()
    if (end_access) await closeBought(tx, id)
    await tellPayer(tx, order, {
      kind: 'order_canceled',
      title: 'Your order was canceled',
      body: withWords(`Order ${order.number} was canceled. You need not pay for it.`, words),
    })
  },
})

export const reopenOrder = changeOperation({
  name: 'orders.reopen',
  title: 'Reopen an order',
  summary:
    'Undoes a cancellation. Codes to pay with that were ended stay ended; access that was ended is given again by hand.',
  ...WITHOUT_SCOPE,
  of: orders,
  fields: { message },
  async change(tx, caller, { id, if_version, message: words }) {
    await checkVersion(tx, 'orders', { ...target(id), ifVersion: if_version })
    const order = await loadObject(tx, caller, orders, id)
    if (!isCanceled(order)) throw conflict('wrong_state', 'The order is not canceled.')
    await writing(tx).update('orders', target(id), { state: 'open' })
    await settleOrder(tx, id)
    await tellPayer(tx, order, {
      kind: 'order_reopened',
      title: 'Your order is open again',
      body: withWords(`Order ${order.number} is not canceled any more.`, words),
    })
  },
})

const target = (id: string) => ({ object: 'order', key: { id } })

/** An order is completed when a payment of it was paid, and open before. The caller has locked it. */
export async function settleOrder(tx: SchoolTx, id: string): Promise<void> {
  await tx.run(sql`
    update orders o set completed_at = paid.first,
      state = case when paid.first is null then 'open' else 'completed' end
    from (select min(paid_at) as first from payments
          where school_id = ${tx.schoolId} and order_id = ${id}) paid
    where o.school_id = ${tx.schoolId} and o.id = ${id} and o.state <> 'canceled'
      and o.completed_at is distinct from paid.first`)
}
