import { sql } from 'kysely'
import type { Db } from '../../../foundation/db/database.ts'

/**
 * Crosses schools: where the person has signed in for longest, of those where they have a role. Its mails are the ones
 * that a thief with a school of their own cannot read.
 */
export async function findHomeSchool(db: Db, userId: string): Promise<string | undefined> {
  const { rows } = await sql<{ school_id: string }>`
    select m.school_id from school_members m join schools s on s.id = m.school_id
    where m.user_id = ${userId} and m.roles <> '{}' and m.signed_in_at is not null and s.deleted_at is null
    order by m.signed_in_at, m.school_id limit 1`.execute(db)
  return rows[0]?.school_id
}
