import { sql } from 'kysely'
import type { Db } from '../../../foundation/db/database.ts'
import { endSessionsOfPerson } from '../sessions.ts'

/**
 * Crosses schools: gives an account another address, in the transaction of a caller who has locked the person. Ends the
 * links for a forgotten password and those of notices, which are in the mailbox of the address before, and all sessions but one. False
 * if another account has the address.
 */
export async function storeEmail(
  tx: Db,
  { userId, email }: { readonly userId: string; readonly email: string },
  exceptSession?: string,
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    update users set email = ${email}
    where id = ${userId} and deleted_at is null
      and not exists (select from users other where lower(other.email) = ${email} and other.id <> ${userId})
    returning id`.execute(tx)
  if (rows.length === 0) return false
  await tx
    .updateTable('password_resets')
    .set({ used_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute()
  await endNoticeLinks(tx, userId)
  await endSessionsOfPerson(tx, userId, exceptSession)
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
