import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'

/** In place of a comment of a forgotten member to which others answered. */
export const FORGOTTEN_COMMENT = '(deleted)'

/**
 * Removes comments of a member. One to which others answered loses its text and stays, because their answers would go
 * with it. Returns how many changed, at most `limit`.
 */
export async function forgetComments(tx: SchoolTx, userId: string, limit: number): Promise<number> {
  const { rows } = await tx.run(sql<{ rows: number }>`
    with chosen as materialized (
      select c.id, exists (
        select from comments a where a.school_id = c.school_id and a.parent_id = c.id) as is_answered
      from comments c
      where c.school_id = ${tx.schoolId} and c.user_id = ${userId} and c.body <> ${FORGOTTEN_COMMENT}
      limit ${sql.lit(limit)} for update of c),
    gone as (
      delete from comments where school_id = ${tx.schoolId}
        and id = any (array(select id from chosen where not is_answered)) returning 1),
    emptied as (
      update comments set body = ${FORGOTTEN_COMMENT} where school_id = ${tx.schoolId}
        and id = any (array(select id from chosen where is_answered)) returning 1)
    select ((select count(*) from gone) + (select count(*) from emptied))::int as rows`)
  return rows[0]?.rows ?? 0
}
