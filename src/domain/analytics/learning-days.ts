import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'

/** Records the days on which these students learned, in the school's time zone. */
export async function addLearningDays(
  tx: SchoolTx,
  learned: readonly { readonly userId: string; readonly at: string }[],
): Promise<void> {
  await tx.run(sql`
    insert into learning_days (school_id, day, user_id)
    select distinct s.id, (l.at at time zone s.time_zone)::date, l.user_id
    from schools s,
      unnest(${learned.map(({ userId }) => userId)}::uuid[], ${learned.map(({ at }) => at)}::timestamptz[])
        as l (user_id, at)
    where s.id = ${tx.schoolId}
    order by 2, 3 on conflict do nothing`)
}
