import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import { atSchool, type SchoolDb } from '../../foundation/db/school-db.ts'
import { type AuditEntry, record, recordForInstallation } from '../audit/audit.ts'

/**
 * The school whose mail tells a person about their account, and whose audit has the entry. A school sends no mail to
 * people without a role there (`send-mail.ts`), and everyone can sign in at any school: a thief would choose one where no
 * mail is sent, or a school of their own, whose mail leads to their own page. So it is the school where the person has
 * signed in for longest. A role that a school gave by itself proves nothing: such a school must not learn what happens to the
 * account elsewhere, nor that there is one. Only what is done at its own origin (`here`) it may be told.
 */
export function schoolToTell(
  userId: RawBuilder<unknown>,
  here?: string,
): RawBuilder<string | null> {
  return sql`(
    select m.school_id from school_members m join schools s on s.id = m.school_id and s.deleted_at is null
    where m.user_id = ${userId} and m.roles <> '{}'
      and (m.signed_in_at is not null or m.school_id = ${here ?? null}::uuid)
    order by m.signed_in_at, m.school_id
    limit 1)`
}

/**
 * Crosses schools: an entry about the account of a person, at the school that tells them, or of the installation. The school at
 * whose origin it was done (`here`) has it too.
 */
export async function recordAboutPerson(
  db: Db,
  userId: string,
  entry: Omit<AuditEntry, 'outcome'>,
  here?: Pick<SchoolDb, 'schoolId'>,
): Promise<void> {
  const schoolId = await findSchoolToTell(db, userId)
  const whole = { ...entry, outcome: 'ok' }
  const places = new Set([schoolId, here?.schoolId].filter((id) => id !== undefined))
  for (const place of places) await record(atSchool(db, place), whole)
  if (schoolId === undefined) await recordForInstallation(db, whole)
}

/** Crosses schools. */
export async function findSchoolToTell(db: Db, userId: string): Promise<string | undefined> {
  const { rows } = await sql<{ schoolId: string | null }>`
    select ${schoolToTell(sql`${userId}::uuid`)} as "schoolId"`.execute(db)
  return rows[0]?.schoolId ?? undefined
}
