import { sql } from 'kysely'
import { z } from 'zod'
import { hashPassword } from '../../foundation/crypto/password.ts'
import { type Keyring, openMessage, sealMessage } from '../../foundation/crypto/seal.ts'
import { acrossSchools, type SchoolDb } from '../../foundation/db/school-db.ts'
import { claimAccount } from './claim-account.ts'
import {
  findPasswordProblem,
  type PasswordContext,
  type PasswordProblem,
} from './password-strength.ts'
import { HAD_NO_CREDENTIAL, loadPerson } from './person.ts'
import type { ProvenPerson } from './sessions.ts'

/** The account of an invitation that can still be accepted. */
export interface Invited {
  readonly userId: string
  readonly email: string
  /** As this school shows it. */
  readonly name: string
  /** Whether the person signs in with what they have. */
  readonly hasCredential: boolean
}

/**
 * Finds the member that a link invites, and notes for the school that it was opened. Undefined if
 * the person has no role here any more, or another address.
 */
export async function noteOpened(
  db: SchoolDb,
  { user, email }: InvitationLink,
): Promise<Invited | undefined> {
  const { rows } = await db.run(sql<Invited>`
    update school_members m set invitation_opened_at = coalesce(m.invitation_opened_at, now())
    from users u
    where m.school_id = ${db.schoolId} and m.user_id = ${user} and m.roles <> '{}' and m.forgotten_at is null
      and u.id = m.user_id and u.deleted_at is null and lower(u.email) = ${email}
    returning u.id as "userId", u.email, not ${HAD_NO_CREDENTIAL} as "hasCredential",
      case when m.signed_in_at is null then coalesce(m.typed_name, '') else u.name end as name`)
  return rows[0]
}

export type FirstPasswordOutcome =
  | ({ readonly kind: 'accepted' } & ProvenPerson)
  /** The account has something to sign in with by now, or the link no longer works. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'unfit'; readonly problem: PasswordProblem }

/** What a person chooses who gets into their account by a link in a mail. */
export interface FirstPassword {
  /** As the person typed it. */
  readonly name: string
  readonly next: string
  readonly school: PasswordContext['school']
  readonly requestId: string
}

/**
 * Sets the first password of an account, by the link in its mailbox. A link that was used finds a
 * password and ends.
 */
export async function acceptInvitation(
  db: SchoolDb,
  invited: Invited,
  { name, next, school, requestId }: FirstPassword,
): Promise<FirstPasswordOutcome> {
  const { userId, email } = invited
  const problem = await findPasswordProblem(next, { email, name, school })
  if (problem !== undefined) return { kind: 'unfit', problem }
  const hash = await hashPassword(next, db.schoolId)
  return await db.transaction(async (tx) => {
    const claim = { userId, name, email, hash, by: 'invitation', requestId } as const
    if (!(await claimAccount(tx, claim))) return { kind: 'ended' }
    return {
      kind: 'accepted',
      person: await loadPerson(acrossSchools(tx), userId),
      credential: { kind: 'password', hash },
      methods: ['password'],
    }
  })
}

/*
 * The link in an invitation proves the mailbox. It is sealed and stored nowhere. What it can do
 * follows from the account when it is opened: it sets a password only while the account has never
 * had anything to sign in with.
 */

export const INVITATION_DAYS = 7

const PURPOSE = 'invitation'

const schema = z.strictObject({
  user: z.uuid(),
  /** The link ends when the account gets another address. */
  email: z.string(),
})

type InvitationLink = z.output<typeof schema>

export function sealInvitation(keyring: Keyring, schoolId: string, link: InvitationLink): string {
  const expiresAt = Date.now() + INVITATION_DAYS * 24 * 60 * 60_000
  return sealMessage(keyring, PURPOSE, schoolId, link, expiresAt)
}

/** Undefined if the link is forged, of another school, or too old. */
export function openInvitation(
  keyring: Keyring,
  schoolId: string,
  sealed: string | undefined,
): InvitationLink | undefined {
  return schema.safeParse(openMessage(keyring, PURPOSE, schoolId, sealed, Date.now())).data
}
