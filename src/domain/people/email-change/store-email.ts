import { sql, type Transaction } from 'kysely'
import type { Db } from '../../../foundation/db/database.ts'
import type { DB } from '../../../foundation/db/schema.generated.ts'
import { atSchoolInTransaction } from '../../../foundation/db/school-db.ts'
import type { AuditedActor } from '../../actor/actor.ts'
import { changeEntry, recordForInstallation } from '../../audit/audit.ts'
import { conflict, notFound } from '../../operation/refusal.ts'
import { emailSetMail } from '../mails/email-change-mails.ts'
import { queueMail } from '../outgoing-mail.ts'
import { normalEmail } from '../person.ts'
import { endSessionsOfPerson } from '../sessions.ts'
import { endResetLinks } from '../set-password.ts'
import { findHomeSchool, isAddressKept, lockAddresses } from './email-change.ts'

/**
 * Crosses schools: gives an account another address, in the transaction of a caller who has locked
 * the person. Ends the links for a forgotten password and those of notices, which are in the
 * mailbox of the address before, and all sessions but those given. Schools where the person has
 * never signed in go on seeing the address before. False if another account has the new one, or can
 * still take it back.
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

/**
 * Crosses schools: ends every request and every way to undo one. An undo and the operator call it:
 * their decision is the last one.
 */
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

/**
 * Crosses schools: the operator of the installation gives a person another address, because they
 * have lost the mailbox of the old one. No link can undo it: another person may read the old
 * mailbox now. That mailbox is told all the same. The reason is for the audit of the installation,
 * which no school reads.
 */
export async function setEmail(
  tx: Transaction<DB>,
  { userId, email, reason }: { userId: string; email: string; reason: string },
  by: AuditedActor,
): Promise<void> {
  const person = await tx
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (person?.email == null) throw notFound('person')
  if (!(await storeEmail(tx, { userId, email: normalEmail(email) }))) {
    throw conflict(
      'taken',
      'Another person has this email address, or had it until a few days ago and can still take it back.',
    )
  }
  await endChanges(tx, userId)
  const change = { action: 'person.email_changed', subject: userId, detail: { reason } } as const
  await recordForInstallation(tx, changeEntry(by, change))
  const home = await findHomeSchool(tx, userId)
  if (home !== undefined)
    await queueMail(atSchoolInTransaction(tx, home), emailSetMail, person.email, {})
}
