import { sql } from 'kysely'
import { uuidv7 } from '../../../foundation/crypto/random.ts'
import type { Db } from '../../../foundation/db/database.ts'
import {
  acrossSchools,
  atSchoolInTransaction,
  type SchoolDb,
} from '../../../foundation/db/school-db.ts'
import { queueMail } from '../outgoing-mail.ts'
import { normalEmail, type Person } from '../person.ts'
import { emailChangeCounter } from '../sign-in-counters.ts'
import { countTry } from '../throttle.ts'
import { IS_PENDING } from './email-change.ts'
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
  person: Person,
  typed: string,
): Promise<ChangeRequest> {
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
    await home.insert('email_changes', { id, user_id: person.id, ...emails }).execute()
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

/** Crosses schools. Its links do nothing any more. */
export async function endPendingChange(db: Db, userId: string): Promise<void> {
  await sql`
    update email_changes c set ended_at = now()
    where c.user_id = ${userId} and ${IS_PENDING}`.execute(db)
}
