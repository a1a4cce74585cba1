import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import { conflict, notFound } from '../operation/refusal.ts'
import { loadObject } from '../operation/resource.ts'
import { checkVersion } from '../operation/writing.ts'
import { type Payment, payments } from './payment-resource.ts'

/**
 * A payment of an order that is not canceled. Locks the order before the payment, like an attempt that is recorded, so
 * that the two cannot deadlock.
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
