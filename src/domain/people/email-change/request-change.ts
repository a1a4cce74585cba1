import { sql } from 'kysely'
import { uuidv7 } from '../../../foundation/crypto/random.ts'
import type { Db } from '../../../foundation/db/database.ts'
import {
  acrossSchools,
  atSchoolInTransaction,
  type SchoolDb,
} from '../../../foundation/db/school-db.ts'
import { queueMail } from '../outgoing-mail.ts'
import { normalEmail } from '../person.ts'
import type { BrowserSession } from '../sessions.ts'
import { emailChangeCounter } from '../sign-in-counters.ts'
import { countTry } from '../throttle.ts'
import { CAN_BE_UNDONE, IS_PENDING, NEEDS_FACTOR } from './email-change.ts'
import { findHomeSchool } from './home-school.ts'

export type ChangeRequest =
  | { readonly kind: 'asked' }
  | { readonly kind: 'same' }
  /** The person has no role at a school where they have signed in, so no school may mail them. */
  | { readonly kind: 'no_school' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }

/**
 * Asks both mailboxes about a new address. Whether another account has it is not looked up before the answer
 * (`change-mails.ts` does), so the answer and the statements do not show it. It replaces an earlier request. Crosses
 * schools.
 */
export async function requestEmailChange(
  at: SchoolDb,
  throttleKey: Buffer,
  session: BrowserSession,
  typed: string,
): Promise<ChangeRequest> {
  const { person } = session
  const next = normalEmail(typed)
  if (next === normalEmail(person.email)) return { kind: 'same' }
  const limit = emailChangeCounter(throttleKey, person.id)
  const retryAfterSeconds = await countTry(acrossSchools(at), [limit], 60)
  if (retryAfterSeconds > 0) return { kind: 'throttled', retryAfterSeconds }
  const id = uuidv7()
  return await at.transaction(async (here) => {
    const tx = acrossSchools(here)
    const schoolId = await findHomeSchool(tx, person.id)
    if (schoolId === undefined) return { kind: 'no_school' }
    await endPendingChange(tx, person.id)
    const home = atSchoolInTransaction(tx, schoolId)
    const emails = { old_email: person.email, new_email: next }
    const asked = {
      asked_school_id: at.schoolId,
      session_id: session.id,
      factor_since: session.factorSince ?? null,
    }
    await home.insert('email_changes', { id, user_id: person.id, ...emails, ...asked }).execute()
    await queueMail(home, 'email_change_old', person.email, { change: id })
    await queueMail(home, 'email_change_new', next, { change: id })
    return { kind: 'asked' }
  })
}

/** Crosses schools: the request that waits for the mailboxes. */
export async function findPendingChange(
  db: Db,
  userId: string,
): Promise<
  | { readonly newEmail: string; readonly oldConfirmed: boolean; readonly newConfirmed: boolean }
  | undefined
> {
  const { rows } = await sql<{ newEmail: string; oldConfirmed: boolean; newConfirmed: boolean }>`
    select c.new_email as "newEmail", c.old_confirmed_at is not null as "oldConfirmed",
      c.new_confirmed_at is not null as "newConfirmed"
    from email_changes c where c.user_id = ${userId} and ${IS_PENDING}`.execute(db)
  return rows[0]
}

/** Crosses schools: the last change that a passkey or a code proved, and that only one of them undoes. */
export async function findChangeToUndo(
  db: Db,
  userId: string,
): Promise<{ readonly id: string; readonly oldEmail: string } | undefined> {
  const { rows } = await sql<{ id: string; oldEmail: string }>`
    select c.id, c.old_email as "oldEmail" from email_changes c
    where c.user_id = ${userId} and ${CAN_BE_UNDONE} and ${NEEDS_FACTOR}
    order by c.changed_at desc limit 1`.execute(db)
  return rows[0]
}

/** Crosses schools. Its links do nothing any more. */
export async function endPendingChange(db: Db, userId: string): Promise<void> {
  await sql`
    update email_changes c set ended_at = now()
    where c.user_id = ${userId} and ${IS_PENDING}`.execute(db)
}
