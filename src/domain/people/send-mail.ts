import { sql } from 'kysely'
import { acrossSchools, type SchoolDb } from '../../foundation/db/school-db.ts'
import type { QueuedMail } from './outgoing-mail.ts'
import { mintResetLink } from './reset-password.ts'
import { linkMailCounter, MAIL_MINUTES, schoolMailCounter } from './sign-in-counters.ts'
import { countTry } from './throttle.ts'

interface NamedSchool {
  readonly name: string
  readonly origin: string
}

/** A mail as facts; the words are elsewhere. */
export type MailFacts = {
  readonly to: string
  /** Absent where the school does not know it: the person has never signed in there. */
  readonly name: string | undefined
  readonly school: NamedSchool
} & (
  | { readonly kind: 'reset_link'; readonly token: string }
  /** Where the person can ask for a link; none if they have signed in nowhere. */
  | { readonly kind: 'reset_elsewhere'; readonly schools: readonly NamedSchool[] }
  | { readonly kind: 'password_changed' }
)

interface Recipient {
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly passwordChangedAt: Date | null
  readonly hasSignedInHere: boolean
  readonly schoolName: string
  readonly schoolOrigin: string
}

/** Why a request leads to no mail: as designed, or because the school has sent too many. */
export type NoMail = 'none' | 'school_limit'

/**
 * Decides, after the answer, which mail a request leads to. A school that gave a role by itself, and that controls
 * its host name, could otherwise take over the account of any person: a link on its host would set the
 * password for all schools.
 *
 * - Without a role at this school: none.
 * - If the person has signed in here, or has no password anywhere: a link that sets the password.
 * - Otherwise: the names of the schools where they have signed in, whose pages send such links.
 */
export async function decideMail(
  at: SchoolDb,
  throttleKey: Buffer,
  mail: QueuedMail,
): Promise<MailFacts | NoMail> {
  const recipient = await findRecipient(at, mail)
  if (recipient === undefined) return 'none'
  const { userId, hasSignedInHere } = recipient
  const facts = {
    to: recipient.email,
    name: hasSignedInHere ? recipient.name : undefined,
    school: { name: recipient.schoolName, origin: recipient.schoolOrigin },
  }
  if (mail.kind === 'password_changed') return { ...facts, kind: 'password_changed' }
  // A retry of the same request was counted before.
  const reason = mail.attempts > 1 ? undefined : await countMail(at, throttleKey, recipient)
  if (reason !== undefined) return reason
  const token = await mintResetLink(at, userId)
  if (token !== undefined) return { ...facts, kind: 'reset_link', token }
  return { ...facts, kind: 'reset_elsewhere', schools: await schoolsSignedInAt(at, userId) }
}

/** Requests in quick succession lead to one mail, no matter who sent them. */
async function countMail(
  at: SchoolDb,
  key: Buffer,
  { userId, passwordChangedAt }: Recipient,
): Promise<NoMail | undefined> {
  const db = acrossSchools(at)
  const ofPerson = linkMailCounter(key, at.schoolId, userId, passwordChangedAt)
  if ((await countTry(db, [ofPerson], MAIL_MINUTES)) > 0) return 'none'
  const ofSchool = schoolMailCounter(key, at.schoolId)
  return (await countTry(db, [ofSchool], 60)) > 0 ? 'school_limit' : undefined
}

async function findRecipient(at: SchoolDb, { email }: QueuedMail): Promise<Recipient | undefined> {
  const { rows } = await at.run(sql<Recipient>`
    select u.id as "userId", u.email, u.name, u.password_changed_at as "passwordChangedAt",
      m.signed_in_at is not null as "hasSignedInHere", s.name as "schoolName", s.origin as "schoolOrigin"
    from users u
      join school_members m on m.school_id = ${at.schoolId} and m.user_id = u.id and m.roles <> '{}'
      join schools s on s.id = m.school_id
    where lower(u.email) = ${email.toLowerCase()}`)
  return rows[0]
}

/** Crosses schools. */
async function schoolsSignedInAt(at: SchoolDb, userId: string): Promise<readonly NamedSchool[]> {
  const { rows } = await sql<NamedSchool>`
    select s.name, s.origin from school_members m join schools s on s.id = m.school_id
    where m.user_id = ${userId} and m.roles <> '{}' and m.signed_in_at is not null
    order by s.name collate "C", s.id`.execute(acrossSchools(at))
  return rows
}
