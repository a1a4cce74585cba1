import { sql, type Transaction } from 'kysely'
import type { DB } from '../../../foundation/db/schema.generated.ts'
import { atSchoolInTransaction } from '../../../foundation/db/school-db.ts'
import { queueMail } from '../outgoing-mail.ts'
import { schoolToTell } from '../school-to-tell.ts'

export interface MailPlace {
  readonly schoolId: string | null
  readonly email: string
}

/**
 * Where a mail about the deletion of a person is queued: at the school that forgets them, or for the whole account at one
 * that the person knows. Read it before roles end.
 */
export async function findMailPlace(
  tx: Transaction<DB>,
  userId: string,
  schoolId: string | null,
): Promise<MailPlace | undefined> {
  const { rows } = await sql<MailPlace>`
    select coalesce(${schoolId}::uuid, ${schoolToTell(sql`users.id`)}) as "schoolId", email
    from users where id = ${userId} and deleted_at is null`.execute(tx)
  return rows[0]
}

export async function tellOfRequest(
  tx: Transaction<DB>,
  place: MailPlace | undefined,
  facts: { readonly part: 'school' | 'account'; readonly due_at: string; readonly place: string },
): Promise<void> {
  if (place?.schoolId == null) return
  await queueMail(
    atSchoolInTransaction(tx, place.schoolId),
    'deletion_requested',
    place.email,
    facts,
  )
}

export async function tellOfEnd(
  tx: Transaction<DB>,
  place: MailPlace | undefined,
  part: 'school' | 'account',
): Promise<void> {
  if (place?.schoolId == null) return
  await queueMail(atSchoolInTransaction(tx, place.schoolId), 'deleted', place.email, { part })
}
