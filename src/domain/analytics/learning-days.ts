import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'

/** Remembers that a student learned at these times, as days of the school's own calendar. */
export async function addLearningDays(
  tx: SchoolTx,
  userId: string,
  times: readonly Date[],
): Promise<void> {
  await tx.run(sql`
    insert into learning_days (school_id, day, user_id)
    select distinct s.id, (learned at time zone s.time_zone)::date, ${userId}::uuid
    from schools s, unnest(${times}::timestamptz[]) as learned
    where s.id = ${tx.schoolId}
    on conflict do nothing`)
}
