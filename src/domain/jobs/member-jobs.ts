import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'

/** Ends what a member asked for about themselves, and lets the purge remove its files now. One that runs ends after its step. */
export async function endJobsOfMember(tx: SchoolTx, userId: string): Promise<void> {
  await tx.run(sql`
    update jobs set cancel_requested = true,
      state = case when state = 'waiting' then 'cancelled' else state end,
      finished_at = case when state = 'waiting' then now() else finished_at end,
      expires_at = case when state = 'running' then expires_at else now() end
    where school_id = ${tx.schoolId} and user_id = ${userId} and of_member`)
}
