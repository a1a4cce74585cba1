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
