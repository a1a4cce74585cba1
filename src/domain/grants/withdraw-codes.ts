import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { refuseEarlierConsents, refuseEarlierConsentsTo } from '../clients/withdrawn-codes.ts'
import { refuseEarlierConsentsOf } from '../people/withdrawn-codes.ts'

/*
 * Each of these deletes codes that are not exchanged yet, so that a running exchange finishes before the
 * caller looks for the authorization it makes, and a later one finds no code. A consent that began before
 * and has no code yet gets none.
 *
 * docs/architecture.md has the order of locks; a vendor platform comes before all. `issueCode` locks
 * session, member and client, so its code is stored before they are ended or marked, and deleted, or it sees the end or
 * the mark. An exchange holds its code and then needs the keys of client and member, which the marks leave free.
 * Only after the codes may a caller lock the client `for update`.
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

/** Those that one person gave a client. Running consents of the person to other clients fail too. */
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

/** Those that one person gave here. The caller has ended their sessions here, so no consent needs a mark. */
export async function withdrawCodesOfMember(tx: SchoolTx, userId: string): Promise<void> {
  await tx
    .delete('authorization_codes')
    .where('user_id', '=', userId)
    .where('consumed_at', 'is', null)
    .execute()
}

/**
 * Crosses schools: all that one person gave. The caller has ended the sessions of the person, so no consent needs a
 * mark: the time of a mark would be too early for a consent that began while this transaction ran.
 */
export async function withdrawCodesOfPerson(tx: Db, userId: string): Promise<void> {
  await sql`
    delete from authorization_codes
    where (school_id, user_id) in (select school_id, user_id from school_members where user_id = ${userId})
      and consumed_at is null`.execute(tx)
}
