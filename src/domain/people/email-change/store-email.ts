import { sql } from 'kysely'
import type { Db } from '../../../foundation/db/database.ts'
import { endSessionsOfPerson } from '../sessions.ts'
import { endResetLinks } from '../set-password.ts'
import { isAddressKept, lockAddresses } from './email-change.ts'

/**
 * Crosses schools: gives an account another address, in the transaction of a caller who has locked the person. Ends the
 * links for a forgotten password and those of notices, which are in the mailbox of the address before, and all sessions but
 * those given. Schools where the person has never signed in go on seeing the address before. False if another account has the
 * new one, or can still take it back.
 */
export async function storeEmail(
  tx: Db,
  { userId, email }: { readonly userId: string; readonly email: string },
  ...exceptSessions: readonly (string | null)[]
): Promise<boolean> {
  await lockAddresses(tx, email, userId)
  const { rows } = await sql<{ id: string }>`
    with before as (select id, email from users where id = ${userId}),
    stored as (
      update users set email = ${email}
      where id = ${userId} and deleted_at is null
        and not exists (select from users other where lower(other.email) = ${email} and other.id <> ${userId})
        and not ${isAddressKept(sql`${email}`, sql`${userId}::uuid`)}
      returning id),
    hidden as (
      update school_members m set typed_email = b.email
      from before b join stored s on s.id = b.id
      where m.user_id = b.id and m.signed_in_at is null and m.forgotten_at is null and m.typed_email is null)
    select id from stored`.execute(tx)
  if (rows.length === 0) return false
  await endResetLinks(tx, userId)
  await endNoticeLinks(tx, userId)
  const kept = exceptSessions.filter((id) => id !== null)
  await endSessionsOfPerson(tx, userId, ...kept)
  return true
}

/** Crosses schools: the links "it was not me" of mails that were sent until now. */
export async function endNoticeLinks(tx: Db, userId: string): Promise<void> {
  await tx
    .updateTable('notice_links')
    .set({ used_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute()
}

/** Crosses schools: ends every request and every way to undo one. An undo and the operator call it: their decision is the last one. */
export async function endChanges(tx: Db, userId: string): Promise<void> {
  await tx
    .updateTable('email_changes')
    .set({ ended_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .execute()
}

/** Crosses schools: ends requests that wait for a mailbox. What has changed can still be undone. */
export async function stopPendingChanges(tx: Db, userId: string): Promise<void> {
  await tx
    .updateTable('email_changes')
    .set({ ended_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('changed_at', 'is', null)
    .where('ended_at', 'is', null)
    .execute()
}
