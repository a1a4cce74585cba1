import { sql } from 'kysely'
import { hashPassword } from '../../../foundation/crypto/password.ts'
import { randomSecret } from '../../../foundation/crypto/random.ts'
import type { Db } from '../../../foundation/db/database.ts'
import {
  acrossSchools,
  atSchoolInTransaction,
  type SchoolDb,
} from '../../../foundation/db/school-db.ts'
import { type AccountRecovery, RECENT_DAYS, recoveryEntry } from '../account-recovery.ts'
import { cancelDeletionsOf } from '../deletion/deletion-requests.ts'
import { keepFactors } from '../factors/lost-factors.ts'
import { forgottenPasswordMail } from '../mails/password-mails.ts'
import { recordAboutPerson } from '../notices.ts'
import { queueMail } from '../outgoing-mail.ts'
import { HAD_NO_CREDENTIAL } from '../person.ts'
import { removeRecentPasskeys } from '../remove-recent-credentials.ts'
import type { BrowserSession } from '../sessions.ts'
import { lockPerson, setPassword } from '../set-password.ts'
import {
  CAN_BE_UNDONE,
  CHANGE_COLUMNS,
  type ChangeLink,
  type EmailChange,
  findChange,
  lockAddresses,
} from './email-change.ts'
import { recordChangeOfEmail } from './request-change.ts'
import { endChanges, storeEmail } from './store-email.ts'

export type Undoing =
  | { readonly kind: 'undone'; readonly email: string }
  /** Another person signs in with the old address by now. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'expired' }
  /** A passkey or a code proved the change, and the mailbox alone does not undo it. */
  | { readonly kind: 'needs_factor' }

/**
 * Gives the account its old address back. A thief who changed it may know the password and have
 * connected apps, so the password stops working, new passkeys go and everything ends, at every
 * school; the old mailbox gets a link for a new password. A change that came after this one is
 * undone with it, and its links end: a thief could otherwise change the address twice, and undo the
 * second change when the first one was undone.
 */
export async function undoEmailChange(
  db: SchoolDb,
  link: ChangeLink,
  requestId: string,
): Promise<Undoing> {
  const change = await findChange(db, link)
  if (link.mailbox !== 'old' || change?.isChanged !== true) return { kind: 'expired' }
  if (change.needsFactor) return { kind: 'needs_factor' }
  return await undo(db, change, requestId)
}

/**
 * Undoes a change in a session whose last proof was a passkey or a code, which was the person's
 * already when the change was asked for. Crosses schools: the change is of their home school.
 */
export async function undoByFactor(
  db: SchoolDb,
  { person, factorSince }: BrowserSession,
  id: string,
  requestId: string,
): Promise<Undoing> {
  const { rows } = await sql<EmailChange & { isOlder: boolean }>`
    select ${CHANGE_COLUMNS},
      coalesce(${factorSince ?? null}::timestamptz < c.created_at - make_interval(days => ${sql.lit(RECENT_DAYS)}), false) as "isOlder"
    from email_changes c
    where c.id = ${id} and c.user_id = ${person.id} and ${CAN_BE_UNDONE}`.execute(acrossSchools(db))
  const [change] = rows
  if (change === undefined) return { kind: 'expired' }
  return change.isOlder ? await undo(db, change, requestId) : { kind: 'needs_factor' }
}

async function undo(schoolDb: SchoolDb, change: EmailChange, requestId: string): Promise<Undoing> {
  const { id, userId, oldEmail, askedSchoolId } = change
  // Not null: an account without a password may get a link that sets one from any school.
  const hash = await hashPassword(randomSecret(32).toString('base64url'), schoolDb.schoolId)
  return await schoolDb.transaction(async (here) => {
    await lockPerson(here, userId)
    // All sessions end, also the one that asks.
    await here.confirmCaller()
    const tx = atSchoolInTransaction(acrossSchools(here), change.schoolId)
    const { rows } = await tx.run(sql<{ id: string }>`
      select c.id from email_changes c
      where c.id = ${id} and c.school_id = ${tx.schoolId} and ${CAN_BE_UNDONE}`)
    if (rows.length === 0) return { kind: 'expired' }
    const db = acrossSchools(tx)
    await lockAddresses(db, oldEmail, userId)
    await freeAddress(db, oldEmail)
    if (!(await storeEmail(db, { userId, email: oldEmail }))) return { kind: 'taken' }
    const how = { by: 'email_undone', requestId } as const
    await removeNewFactor(db, userId, id, how)
    await endChanges(db, userId)
    await cancelDeletionsOf(db, userId, how)
    await keepFactors(db, userId, requestId)
    await removeRecentPasskeys(db, userId, how)
    await setPassword(tx, { userId, email: oldEmail, hash, ...how, endsAccess: true })
    const entry = { action: 'person.email_change_undone', actorUserId: userId, requestId } as const
    await recordChangeOfEmail(tx, askedSchoolId, entry)
    await queueMail(tx, forgottenPasswordMail, oldEmail, {})
    return { kind: 'undone', email: oldEmail }
  })
}

/**
 * A school that adds the old address meanwhile makes an account with it that has no credential. It
 * gives the address back: otherwise a thief who operates a school could keep the person out by
 * adding it.
 */
async function freeAddress(db: Db, email: string): Promise<void> {
  await sql`
    update users u set email = 'undone-' || u.id || '@schoolgate.invalid'
    where lower(u.email) = ${email.toLowerCase()} and ${HAD_NO_CREDENTIAL}`.execute(db)
}

/**
 * A second factor from after the request may be the thief's, and would keep the person out. An
 * older one stays theirs.
 */
async function removeNewFactor(
  db: Db,
  userId: string,
  changeId: string,
  how: AccountRecovery,
): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    delete from authenticators a using email_changes c
    where a.user_id = ${userId} and c.id = ${changeId} and a.created_at > c.created_at`.execute(db)
  await db.deleteFrom('trusted_devices').where('user_id', '=', userId).execute()
  if (numAffectedRows === 0n) return
  await recordAboutPerson(db, userId, { action: 'factor.removed', ...recoveryEntry(userId, how) })
}
