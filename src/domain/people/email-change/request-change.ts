import { sql } from 'kysely'
import { uuidv7 } from '../../../foundation/crypto/random.ts'
import type { Db } from '../../../foundation/db/database.ts'
import {
  acrossSchools,
  atSchoolInTransaction,
  type SchoolDb,
  type SchoolTx,
} from '../../../foundation/db/school-db.ts'
import { type AuditEntry, recordAtSchools } from '../../audit/audit.ts'
import { refusalFromDatabase } from '../../operation/database-refusal.ts'
import { emailChangedMail, newMailboxMail, oldMailboxMail } from '../mails/email-change-mails.ts'
import { queueMail } from '../outgoing-mail.ts'
import { normalEmail } from '../person.ts'
import type { BrowserSession } from '../sessions.ts'
import { lockPerson } from '../set-password.ts'
import { countTry, emailChangeCounter } from '../sign-in-counters.ts'
import {
  CAN_BE_UNDONE,
  type ChangeLink,
  type EmailChange,
  findChange,
  findHomeSchool,
  IS_PENDING,
  NEEDS_FACTOR,
} from './email-change.ts'
import { storeEmail } from './store-email.ts'

export type ChangeRequest =
  | { readonly kind: 'asked' }
  | { readonly kind: 'same' }
  /** The person has no role at a school where they have signed in, so no school may mail them. */
  | { readonly kind: 'no_school' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }

/**
 * Asks both mailboxes about a new address. Whether another account has it is not looked up before
 * the answer (`mails/` does), so the answer and the statements do not show it. It replaces
 * an earlier request. Crosses schools.
 */
export async function requestEmailChange(
  db: SchoolDb,
  throttleKey: Buffer,
  session: BrowserSession,
  typed: string,
): Promise<ChangeRequest> {
  const { person } = session
  const next = normalEmail(typed)
  if (next === normalEmail(person.email)) return { kind: 'same' }
  const limit = emailChangeCounter(throttleKey, person.id)
  const retryAfterSeconds = await countTry(acrossSchools(db), [limit], 60)
  if (retryAfterSeconds > 0) return { kind: 'throttled', retryAfterSeconds }
  const id = uuidv7()
  return await db.transaction(async (here) => {
    const tx = acrossSchools(here)
    const schoolId = await findHomeSchool(tx, person.id)
    if (schoolId === undefined) return { kind: 'no_school' }
    await endPendingChange(tx, person.id)
    const home = atSchoolInTransaction(tx, schoolId)
    const emails = { old_email: person.email, new_email: next }
    const asked = {
      asked_school_id: db.schoolId,
      session_id: session.id,
      factor_since: session.factorSince ?? null,
    }
    await home.insert('email_changes', { id, user_id: person.id, ...emails, ...asked }).execute()
    await queueMail(home, oldMailboxMail, person.email, { change: id })
    await queueMail(home, newMailboxMail, next, { change: id })
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

/**
 * Crosses schools: the last change that a passkey or a code proved, and that only one of them
 * undoes.
 */
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

export type Confirmation =
  /** The other mailbox has to agree too. */
  | { readonly kind: 'waits' }
  | { readonly kind: 'changed'; readonly email: string }
  /** Another account got the address meanwhile. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'expired' }

interface Confirming {
  /** The session of this browser, which may be another person's. */
  readonly session: { readonly id: string; readonly userId: string } | undefined
  readonly requestId: string
}

/**
 * One mailbox agrees. The second one makes the change: other sessions end, at every school, and the
 * old address is told.
 */
export async function confirmEmailChange(
  db: SchoolDb,
  link: ChangeLink,
  by: Confirming,
): Promise<Confirmation> {
  const change = await findChange(db, link)
  if (change === undefined || change.isChanged) return { kind: 'expired' }
  try {
    return await db.transaction(async (tx) => {
      // The person first, as everything that changes an account does.
      await lockPerson(tx, change.userId)
      const agreed = await agree(tx, link)
      if (agreed === undefined) return { kind: 'expired' }
      if (!agreed.oldConfirmed || !agreed.newConfirmed) return { kind: 'waits' }
      return await applyChange(tx, change, by)
    })
  } catch (error) {
    // An account with this address was made in the same moment.
    const refusal = refusalFromDatabase(error)
    if (refusal?.kind === 'conflict' && refusal.code === 'taken') return { kind: 'taken' }
    throw error
  }
}

async function agree(
  tx: SchoolTx,
  { id, mailbox }: ChangeLink,
): Promise<Pick<EmailChange, 'oldConfirmed' | 'newConfirmed'> | undefined> {
  const column = sql.ref(mailbox === 'old' ? 'old_confirmed_at' : 'new_confirmed_at')
  const { rows } = await tx.run(sql<Pick<EmailChange, 'oldConfirmed' | 'newConfirmed'>>`
    update email_changes c set ${column} = coalesce(${column}, now())
    where c.id = ${id} and c.school_id = ${tx.schoolId} and ${IS_PENDING}
    returning c.old_confirmed_at is not null as "oldConfirmed",
      c.new_confirmed_at is not null as "newConfirmed"`)
  return rows[0]
}

async function applyChange(
  tx: SchoolTx,
  { id, userId, oldEmail, newEmail, sessionId, askedSchoolId }: EmailChange,
  { session, requestId }: Confirming,
): Promise<Confirmation> {
  const kept = [sessionId, session?.userId === userId ? session.id : null]
  const isStored = await storeEmail(acrossSchools(tx), { userId, email: newEmail }, ...kept)
  await tx
    .update('email_changes')
    .set(isStored ? { changed_at: sql<Date>`now()` } : { ended_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
  if (!isStored) return { kind: 'taken' }
  const entry = { action: 'person.email_changed', actorUserId: userId, requestId } as const
  await recordChangeOfEmail(tx, askedSchoolId, { ...entry, detail: { by: 'links' } })
  await queueMail(tx, emailChangedMail, oldEmail, { change: id })
  return { kind: 'changed', email: newEmail }
}

/**
 * In the history of the school whose links are used, and of the one where the change was asked for.
 */
export async function recordChangeOfEmail(
  tx: SchoolTx,
  askedSchoolId: string | null,
  entry: Omit<AuditEntry, 'outcome'>,
): Promise<void> {
  const places = new Set([tx.schoolId, askedSchoolId ?? tx.schoolId])
  await recordAtSchools(
    acrossSchools(tx),
    [...places].map((schoolId) => ({ ...entry, outcome: 'ok', schoolId })),
  )
}

/** The old mailbox says no. Nothing was changed yet. */
export async function stopEmailChange(db: SchoolDb, { id, mailbox }: ChangeLink): Promise<boolean> {
  if (mailbox !== 'old') return false
  const { rows } = await db.run(sql<{ id: string }>`
    update email_changes c set ended_at = now()
    where c.id = ${id} and c.school_id = ${db.schoolId} and ${IS_PENDING}
    returning c.id`)
  return rows.length > 0
}
