import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import { atSchool } from '../../foundation/db/school-db.ts'
import { type AuditEntry, record, recordForInstallation } from '../audit/audit.ts'

/**
 * The school whose mail tells a person about their account, and whose audit has the entry. A school sends no mail to
 * people without a role there (`send-mail.ts`), and everyone can sign in at any school: a thief would choose one where no
 * mail is sent, or a school of their own, whose mail leads to their own page. So it is the school where the person has
 * signed in for longest.
 */
export function schoolToTell(userId: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql`(
    select m.school_id from school_members m
    where m.user_id = ${userId} and m.roles <> '{}'
    order by m.signed_in_at is null, m.signed_in_at, m.school_id
    limit 1)`
}

/** Crosses schools: an entry about the account of a person, at the school that tells them, or of the installation. */
export async function recordAboutPerson(
  db: Db,
  userId: string,
  entry: Omit<AuditEntry, 'outcome'>,
): Promise<void> {
  const { rows } = await sql<{ schoolId: string | null }>`
    select ${schoolToTell(sql`${userId}::uuid`)} as "schoolId"`.execute(db)
  const schoolId = rows[0]?.schoolId ?? undefined
  const whole = { ...entry, outcome: 'ok' }
  if (schoolId === undefined) await recordForInstallation(db, whole)
  else await record(atSchool(db, schoolId), whole)
}
