import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'

/** From now on a consent to this client that began before gives no code (`issueCode`). */
export async function refuseEarlierConsentsTo(tx: SchoolTx, clientId: string): Promise<void> {
  await tx
    .update('clients')
    .set({ codes_withdrawn_at: sql<Date>`now()` })
    .where('client_id', '=', clientId)
    .execute()
}

/** The same for all clients of the school, locked in the order of their ids. */
export async function refuseEarlierConsents(tx: SchoolTx): Promise<void> {
  await tx.run(sql`
    with locked as materialized (
      select client_id from clients where school_id = ${tx.schoolId} and deleted_at is null
      order by client_id for no key update)
    update clients set codes_withdrawn_at = now()
    where school_id = ${tx.schoolId} and client_id in (select client_id from locked)`)
}
