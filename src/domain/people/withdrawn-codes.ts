import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'

/** From now on a consent of these people that began before gives no code (`issueCode`). */
export async function refuseEarlierConsentsOf(
  tx: SchoolTx,
  userIds: readonly string[],
): Promise<void> {
  await tx
    .update('school_members')
    .set({ codes_withdrawn_at: sql<Date>`now()` })
    .where('user_id', 'in', [...userIds])
    .execute()
}
