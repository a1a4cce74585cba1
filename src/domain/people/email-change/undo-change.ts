import { sql } from 'kysely'
import { hashPassword } from '../../../foundation/crypto/password.ts'
import { randomSecret } from '../../../foundation/crypto/random.ts'
import type { Db } from '../../../foundation/db/database.ts'
import { acrossSchools, type SchoolDb } from '../../../foundation/db/school-db.ts'
import { record } from '../../audit/audit.ts'
import { type AccountRecovery, recoveryEntry } from '../account-recovery.ts'
import { cancelDeletionsOf } from '../deletion/deletion-requests.ts'
import { HAD_NO_CREDENTIAL } from '../no-credential.ts'
import { queueMail } from '../outgoing-mail.ts'
import { removeRecentPasskeys } from '../recent-ways-in.ts'
import { recordAboutPerson } from '../school-to-tell.ts'
import { lockPerson, setPassword } from '../set-password.ts'
import { CAN_BE_UNDONE, type ChangeLink, findChange } from './email-change.ts'
import { endChanges, storeEmail } from './store-email.ts'

export type Undoing =
  | { readonly kind: 'undone'; readonly email: string }
  /** Another person signs in with the old address by now. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'expired' }

/**
 * Gives the account its old address back. A thief who changed it may know the password and have connected apps, so the
 * password stops working, new passkeys go and everything ends, at every school; the old mailbox gets a link for a new password. A
 * change that came after this one is undone with it, and its links end: a thief could otherwise change the address
 * twice, and undo the second change when the first one was undone.
 */
export async function undoEmailChange(
  at: SchoolDb,
  link: ChangeLink,
  requestId: string,
): Promise<Undoing> {
  const change = await findChange(at, link)
  if (link.mailbox !== 'old' || change?.isChanged !== true) return { kind: 'expired' }
  const { userId, oldEmail } = change
  // Not null: an account without a password may get a link that sets one from any school.
  const hash = await hashPassword(randomSecret(32).toString('base64url'), at.schoolId)
  return await at.transaction(async (tx) => {
    await lockPerson(tx, userId)
    const { rows } = await tx.run(sql<{ id: string }>`
      select c.id from email_changes c
      where c.id = ${link.id} and c.school_id = ${tx.schoolId} and ${CAN_BE_UNDONE}`)
    if (rows.length === 0) return { kind: 'expired' }
    const db = acrossSchools(tx)
    await freeAddress(db, oldEmail)
    if (!(await storeEmail(db, { userId, email: oldEmail }))) return { kind: 'taken' }
    const how = { by: 'email_undone', requestId } as const
    await removeNewFactor(db, userId, link.id, how)
    await endChanges(db, userId)
    await cancelDeletionsOf(db, userId, how)
    await removeRecentPasskeys(db, userId, how)
    await setPassword(tx, { userId, email: oldEmail, hash, ...how, endsAccess: true })
    await record(tx, {
      action: 'person.email_change_undone',
      outcome: 'ok',
      actorUserId: userId,
      requestId,
    })
    await queueMail(tx, 'forgotten_password', oldEmail)
    return { kind: 'undone', email: oldEmail }
  })
}

/**
 * A school that adds the old address meanwhile makes an account with it that has no credential. It gives the
 * address back: otherwise a thief who operates a school could keep the person out by adding it.
 */
async function freeAddress(db: Db, email: string): Promise<void> {
  await sql`
    update users u set email = 'undone-' || u.id || '@schoolgate.invalid'
    where lower(u.email) = ${email.toLowerCase()} and ${HAD_NO_CREDENTIAL}`.execute(db)
}

/** A second factor from after the request may be the thief's, and would keep the person out. An older one stays theirs. */
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
