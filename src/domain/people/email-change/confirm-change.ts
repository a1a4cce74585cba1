import { sql } from 'kysely'
import { acrossSchools, type SchoolDb, type SchoolTx } from '../../../foundation/db/school-db.ts'
import { type AuditEntry, recordAtSchools } from '../../audit/audit.ts'
import { refusalFromDatabase } from '../../operation/database-refusal.ts'
import { queueMail } from '../outgoing-mail.ts'
import { lockPerson } from '../set-password.ts'
import { type ChangeLink, type EmailChange, findChange, IS_PENDING } from './email-change.ts'
import { storeEmail } from './store-email.ts'

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

/** One mailbox agrees. The second one makes the change: other sessions end, at every school, and the old address is told. */
export async function confirmEmailChange(
  at: SchoolDb,
  link: ChangeLink,
  by: Confirming,
): Promise<Confirmation> {
  const change = await findChange(at, link)
  if (change === undefined || change.isChanged) return { kind: 'expired' }
  try {
    return await at.transaction(async (tx) => {
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
  await queueMail(tx, 'email_changed', oldEmail, { change: id })
  return { kind: 'changed', email: newEmail }
}

/** In the history of the school whose links are used, and of the one where the change was asked for. */
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
export async function stopEmailChange(at: SchoolDb, { id, mailbox }: ChangeLink): Promise<boolean> {
  if (mailbox !== 'old') return false
  const { rows } = await at.run(sql<{ id: string }>`
    update email_changes c set ended_at = now()
    where c.id = ${id} and c.school_id = ${at.schoolId} and ${IS_PENDING}
    returning c.id`)
  return rows.length > 0
}
