import { sql } from 'kysely'
import { acrossSchools, type SchoolDb } from '../../foundation/db/school-db.ts'
import { DEFAULT_APPEARANCE } from '../schools/school.ts'
import type { NamedSchool } from './mails/mail-words.ts'
import { HAD_NO_CREDENTIAL } from './person.ts'

/** The account with the address of a mail. */
export interface Account {
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly passwordChangedAt: Date | null
  /** Whether a person can sign in to it. */
  readonly hasCredential: boolean
  readonly hasRoleHere: boolean
  readonly hasSignedInHere: boolean
}

interface FoundSchool extends NamedSchool {
  readonly primaryColor: string
  readonly timeZone: string
}

interface RecipientRow {
  userId: string | null
  email: string | null
  name: string | null
  passwordChangedAt: Date | null
  hasCredential: boolean
  hasRoleHere: boolean
  hasSignedInHere: boolean
  schoolName: string
  schoolOrigin: string
  primaryColor: string
  timeZone: string
}

/** Who has this address, and the school as it is now. */
export async function findRecipient(
  db: SchoolDb,
  email: string,
): Promise<{ school: FoundSchool; account: Account | undefined }> {
  const { rows } = await db.run(sql<RecipientRow>`
    select u.id as "userId", u.email, u.name, u.password_changed_at as "passwordChangedAt",
      not ${HAD_NO_CREDENTIAL} as "hasCredential",
      coalesce(m.roles <> '{}', false) as "hasRoleHere", m.signed_in_at is not null as "hasSignedInHere",
      s.name as "schoolName", s.origin as "schoolOrigin", coalesce(a.primary_color, ${DEFAULT_APPEARANCE.primaryColor}) as "primaryColor",
      s.time_zone as "timeZone"
    from schools s
      left join appearances a on a.school_id = s.id
      left join users u on lower(u.email) = ${email.toLowerCase()}
      left join school_members m on m.school_id = s.id and m.user_id = u.id
    where s.id = ${db.schoolId}`)
  const [row] = rows
  if (row === undefined) throw new Error('a mail was queued for a school that does not exist')
  const { schoolName, schoolOrigin, primaryColor, timeZone, ...account } = row
  return {
    school: { name: schoolName, origin: schoolOrigin, primaryColor, timeZone },
    account: isAccount(account) ? account : undefined,
  }
}

function isAccount(
  found: Omit<RecipientRow, 'schoolName' | 'schoolOrigin' | 'primaryColor' | 'timeZone'>,
): found is Account {
  return found.userId !== null && found.email !== null && found.name !== null
}

/** Crosses schools: how a mail of one school names another. Undefined if that one was deleted. */
export async function findNamedSchool(
  db: SchoolDb,
  schoolId: string,
): Promise<NamedSchool | undefined> {
  const { rows } = await sql<NamedSchool>`
    select name, origin from schools where id = ${schoolId} and deleted_at is null`.execute(
    acrossSchools(db),
  )
  return rows[0]
}

/** Crosses schools. */
export async function schoolsSignedInAt(
  db: SchoolDb,
  userId: string,
): Promise<readonly NamedSchool[]> {
  const { rows } = await sql<NamedSchool>`
    select s.name, s.origin from school_members m join schools s on s.id = m.school_id
    where m.user_id = ${userId} and m.roles <> '{}' and m.signed_in_at is not null
    order by s.name collate "C", s.id`.execute(acrossSchools(db))
  return rows
}
