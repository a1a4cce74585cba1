import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import { atSchool } from '../../foundation/db/school-db.ts'
import type { QueuedMail } from './outgoing-mail.ts'
import { mintResetLink } from './reset-password.ts'
import { MAIL_MINUTES, mailCounter } from './sign-in-counters.ts'
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
  readonly hasSignedInHere: boolean
  readonly schoolName: string
  readonly schoolOrigin: string
}

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
  db: Db,
  throttleKey: Buffer,
  mail: QueuedMail,
): Promise<MailFacts | undefined> {
  const recipient = await findRecipient(db, mail)
  if (recipient === undefined) return undefined
  const { userId, hasSignedInHere } = recipient
  const facts = {
    to: recipient.email,
    name: hasSignedInHere ? recipient.name : undefined,
    school: { name: recipient.schoolName, origin: recipient.schoolOrigin },
  }
  if (mail.kind === 'password_changed') return { ...facts, kind: 'password_changed' }
  const isRepeated = await isOneOfMany(db, throttleKey, mail, userId)
  if (isRepeated) return undefined
  const token = await mintResetLink(atSchool(db, mail.schoolId), userId)
  if (token !== undefined) return { ...facts, kind: 'reset_link', token }
  return { ...facts, kind: 'reset_elsewhere', schools: await schoolsSignedInAt(db, userId) }
}

/** Requests in quick succession lead to one mail, no matter who sent them; a retry of the same request to another try. */
async function isOneOfMany(
  db: Db,
  throttleKey: Buffer,
  { kind, schoolId, attempts }: QueuedMail,
  userId: string,
): Promise<boolean> {
  if (attempts > 1) return false
  const counter = mailCounter(throttleKey, kind, schoolId, userId)
  return (await countTry(db, [counter], MAIL_MINUTES)) > 0
}

async function findRecipient(
  db: Db,
  { email, schoolId }: QueuedMail,
): Promise<Recipient | undefined> {
  const { rows } = await sql<Recipient>`
    select u.id as "userId", u.email, u.name, m.signed_in_at is not null as "hasSignedInHere",
      s.name as "schoolName", s.origin as "schoolOrigin"
    from users u
      join school_members m on m.school_id = ${schoolId} and m.user_id = u.id and m.roles <> '{}'
      join schools s on s.id = m.school_id
    where lower(u.email) = ${email.toLowerCase()}`.execute(db)
  return rows[0]
}

async function schoolsSignedInAt(db: Db, userId: string): Promise<readonly NamedSchool[]> {
  const { rows } = await sql<NamedSchool>`
    select s.name, s.origin from school_members m join schools s on s.id = m.school_id
    where m.user_id = ${userId} and m.roles <> '{}' and m.signed_in_at is not null
    order by s.name collate "C", s.id`.execute(db)
  return rows
}
