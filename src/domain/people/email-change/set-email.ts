import type { Transaction } from 'kysely'
import type { DB } from '../../../foundation/db/schema.generated.ts'
import { atSchoolInTransaction } from '../../../foundation/db/school-db.ts'
import type { AuditedActor } from '../../actor.ts'
import { recordForInstallation } from '../../audit/audit.ts'
import { changeEntry } from '../../audit/record-change.ts'
import { conflict, notFound } from '../../operation/refusal.ts'
import { queueMail } from '../outgoing-mail.ts'
import { normalEmail } from '../person.ts'
import { findHomeSchool } from './home-school.ts'
import { endChanges, storeEmail } from './store-email.ts'

/**
 * Crosses schools: the operator of the installation gives a person another address, because they have lost the mailbox
 * of the old one. No link can undo it: another person may read the old mailbox now. That mailbox is told all the same.
 * The reason is for the audit of the installation, which no school reads.
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
    await queueMail(atSchoolInTransaction(tx, home), 'email_set', person.email)
}
