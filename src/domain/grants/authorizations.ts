import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

/** Ends one authorization, and with it every pair it ever made. */
export async function endAuthorization(
  at: SchoolDb,
  authorizationId: string,
  userId?: string,
): Promise<boolean> {
  const row = await at
    .update('authorizations')
    .set({ revoked_at: sql<Date>`now()` })
    .where('id', '=', authorizationId)
    .where('revoked_at', 'is', null)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId as string))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Ends everything a client was ever given here; how many people that touched. */
export async function endAuthorizationsOfClient(at: SchoolDb, clientId: string): Promise<number> {
  const { rows } = await at.run(sql<{ people: number }>`
    with ended as (
      update authorizations set revoked_at = now()
      where school_id = ${at.schoolId} and client_id = ${clientId} and revoked_at is null
      returning user_id)
    select count(distinct user_id)::int as people from ended`)
  return rows[0]?.people ?? 0
}

/** Crosses schools: a person who is deleted is gone everywhere. */
export async function endAuthorizationsOfPerson(db: Db, userId: string): Promise<number> {
  const result = await db
    .updateTable('authorizations')
    .set({ revoked_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}
