import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { IS_ACTIVE } from './active-enrollment.ts'

/** Opens these courses to a person who bought them. A course that is open to them already stays as it is. */
export async function openPurchased(
  tx: SchoolTx,
  userId: string,
  courses: readonly string[],
): Promise<void> {
  await tx.run(sql`
    insert into enrollments as e (school_id, id, course_id, user_id, source)
    select ${tx.schoolId}, o.id, o.course_id, ${userId}, 'purchase'
    from unnest(${courses}::uuid[], ${courses.map(() => uuidv7())}::uuid[]) as o (course_id, id)
    on conflict (school_id, user_id, course_id) do update
      set revoked_at = null, expires_at = null, source = 'purchase'
      where not (${IS_ACTIVE})`)
}

/** Ends access to these courses as far as it came from a purchase. Progress is kept. */
export async function closePurchased(
  tx: SchoolTx,
  userId: string,
  courses: readonly string[],
): Promise<void> {
  await tx.run(sql`
    update enrollments set revoked_at = now()
    where school_id = ${tx.schoolId} and user_id = ${userId} and course_id = any(${courses}::uuid[])
      and source = 'purchase' and revoked_at is null`)
}
