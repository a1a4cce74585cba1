import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { refuseEarlierConsents, refuseEarlierConsentsTo } from '../clients/client.ts'
import { refuseEarlierConsentsOf } from '../people/person.ts'

/** Ends one authorization, and with it every pair it ever made. */
export async function endAuthorization(
  db: SchoolDb,
  authorizationId: string,
  userId?: string,
): Promise<boolean> {
  const row = await db
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
 * Ends all authorizations of a client here and returns how many people had one; if there are more
 * than `most`, ended ones included, it ends none and returns undefined. Rows are locked in the
 * order of their ids, like in all statements that end many, so that two of them do not deadlock.
 */
export async function endAuthorizationsOfClient(
  db: SchoolDb,
  clientId: string,
  most: number,
): Promise<number | undefined> {
  const { rows } = await db.run(sql<{ many: number; people: number }>`
    with size as materialized (
      select count(*) as many from (
        select from authorizations where school_id = ${db.schoolId} and client_id = ${clientId}
        limit ${most + 1}) few),
    live as materialized (
      select id from authorizations
      where school_id = ${db.schoolId} and client_id = ${clientId} and revoked_at is null
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
export async function endAuthorizationsOfMember(db: SchoolDb, userId: string): Promise<void> {
  await db.run(sql`
    with live as materialized (
      select id from authorizations
      where school_id = ${db.schoolId} and user_id = ${userId} and revoked_at is null
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

/**
 * The authorization was not ended, neither by itself nor together with all others of its client.
 * `client` names the row of its client in the same statement. Every check of a token uses this: to
 * end a large client changes only the row of the client, and `end-access.ts` marks its
 * authorizations later.
 */
export function isNotEnded(authorization: string, client: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(`${authorization}.revoked_at`)} is null
    and ${sql.ref(`${authorization}.access_round`)} = ${sql.ref(`${client}.access_round`)})`
}

/*
 * Each of these deletes codes that are not exchanged yet, so that a running exchange finishes
 * before the caller looks for the authorization it makes, and a later one finds no code. A consent
 * that began before and has no code yet gets none.
 *
 * docs/architecture.md has the order of locks; a vendor platform comes before all. `issueCode`
 * locks session, member and client, so its code is stored before they are ended or marked, and
 * deleted, or it sees the end or the mark. An exchange holds its code and then needs the keys of
 * client and member, which the marks leave free. Only after the codes may a caller lock the client
 * `for update`.
 */

/** Those of a client. */
export async function withdrawCodesOfClient(tx: SchoolTx, clientId: string): Promise<void> {
  await refuseEarlierConsentsTo(tx, clientId)
  await tx
    .delete('authorization_codes')
    .where('client_id', '=', clientId)
    .where('consumed_at', 'is', null)
    .execute()
}

/** Those of all clients here. */
export async function withdrawAllCodes(tx: SchoolTx): Promise<void> {
  await refuseEarlierConsents(tx)
  await tx.delete('authorization_codes').where('consumed_at', 'is', null).execute()
}

/**
 * Those that one person gave a client. Running consents of the person to other clients fail too.
 */
export async function withdrawCodesOfApp(
  tx: SchoolTx,
  userId: string,
  clientId: string,
): Promise<void> {
  await refuseEarlierConsentsOf(tx, [userId])
  await tx
    .delete('authorization_codes')
    .where('client_id', '=', clientId)
    .where('user_id', '=', userId)
    .where('consumed_at', 'is', null)
    .execute()
}

/** Those that people gave as owner or admin. */
export async function withdrawOperatorCodes(
  tx: SchoolTx,
  userIds: readonly string[],
): Promise<void> {
  await refuseEarlierConsentsOf(tx, userIds)
  await tx.run(sql`
    delete from authorization_codes
    where school_id = ${tx.schoolId} and user_id = any(${userIds}::uuid[])
      and audience = 'operator' and consumed_at is null`)
}

/**
 * Those that one person gave here. The caller has ended their sessions here, so no consent needs a
 * mark.
 */
export async function withdrawCodesOfMember(tx: SchoolTx, userId: string): Promise<void> {
  await tx
    .delete('authorization_codes')
    .where('user_id', '=', userId)
    .where('consumed_at', 'is', null)
    .execute()
}

/**
 * Crosses schools: all that one person gave. The caller has ended the sessions of the person, so no
 * consent needs a mark: the time of a mark would be too early for a consent that began while this
 * transaction ran.
 */
export async function withdrawCodesOfPerson(tx: Db, userId: string): Promise<void> {
  await sql`
    delete from authorization_codes
    where (school_id, user_id) in (select school_id, user_id from school_members where user_id = ${userId})
      and consumed_at is null`.execute(tx)
}
