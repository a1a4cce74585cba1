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

/**
 * Ends all authorizations of a client here and returns how many people had one; if there are more than `most`, ended ones
 * included, it ends none and returns undefined. Rows are locked in the order of their ids, like in all statements that
 * end many, so that two of them do not deadlock.
 */
export async function endAuthorizationsOfClient(
  at: SchoolDb,
  clientId: string,
  most: number,
): Promise<number | undefined> {
  const { rows } = await at.run(sql<{ many: number; people: number }>`
    with size as materialized (
      select count(*) as many from (
        select from authorizations where school_id = ${at.schoolId} and client_id = ${clientId}
        limit ${most + 1}) few),
    live as materialized (
      select id from authorizations
      where school_id = ${at.schoolId} and client_id = ${clientId} and revoked_at is null
        and (select many from size) <= ${most}
      order by id for no key update),
    ended as (
      update authorizations set revoked_at = now() where id in (select id from live)
      returning user_id)
    select (select many from size) as many, (select count(distinct user_id) from ended)::int as people`)
  const [row] = rows
  return row === undefined || row.many > most ? undefined : row.people
}

export interface EndedAuthorization {
  readonly id: string
  readonly schoolId: string
  readonly clientId: string
}

/** Ends the authorizations of a person at this school. */
export async function endAuthorizationsOfMember(at: SchoolDb, userId: string): Promise<void> {
  await at.run(sql`
    with live as materialized (
      select id from authorizations
      where school_id = ${at.schoolId} and user_id = ${userId} and revoked_at is null
      order by id for no key update)
    update authorizations set revoked_at = now() where id in (select id from live)`)
}

/** Crosses schools: ends the authorizations of a person at every school. */
export async function endAuthorizationsOfPerson(
  db: Db,
  userId: string,
): Promise<readonly EndedAuthorization[]> {
  const { rows } = await sql<EndedAuthorization>`
    with live as materialized (
      select id from authorizations
      where school_id = any (array(select school_id from school_members where user_id = ${userId}))
        and user_id = ${userId} and revoked_at is null
      order by id for no key update)
    update authorizations set revoked_at = now() where id in (select id from live)
    returning id, school_id as "schoolId", client_id as "clientId"`.execute(db)
  return rows
}
