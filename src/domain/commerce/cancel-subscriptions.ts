import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'

/** Ends the running plans of a member who is forgotten; what was paid for them stays in the books. Returns how many. */
export async function cancelSubscriptionsOf(tx: SchoolTx, userId: string): Promise<number> {
  const ended = await tx
    .update('subscriptions')
    .set({ state: 'canceled', canceled_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('state', '<>', 'canceled')
    .executeTakeFirst()
  return Number(ended.numUpdatedRows)
}
