import { sql } from 'kysely'
import { hashPassword } from '../../foundation/crypto/password.ts'
import type { Db } from '../../foundation/db/database.ts'
import { acrossSchools, type SchoolDb, type SchoolTx } from '../../foundation/db/school-db.ts'
import { record, recordCreated } from '../audit/audit.ts'
import type { FirstPassword, FirstPasswordOutcome } from './accept-invitation.ts'
import { claimAccount } from './claim-account.ts'
import { isKept, lockAddresses } from './email-change/email-change.ts'
import { signUpMail } from './mails/joining-mails.ts'
import { queueMail } from './outgoing-mail.ts'
import { findPasswordProblem } from './password-strength.ts'
import { findOrCreatePerson, loadPerson, typedEmail } from './person.ts'
import { countTry, signUpCounters, uncountTries } from './sign-in-counters.ts'
import type { SignUpFacts, SignUpLink } from './sign-up-link.ts'

const WINDOW_MINUTES = 60

export type SignUpRequest =
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  | { readonly kind: 'accepted' }

/**
 * Stores that a person wants to sign up. As for a forgotten password, no table of people is read
 * before the answer, and there is no account before the mailbox is proven: `signUpMail`
 * decides what the mail says.
 */
export async function requestSignUp(
  db: Db,
  schoolDb: SchoolDb,
  throttleKey: Buffer,
  request: {
    readonly email: string
    readonly address: string
    readonly facts: SignUpFacts
  },
): Promise<SignUpRequest> {
  const email = typedEmail(request.email)
  const limits = signUpCounters(throttleKey, email, request.address)
  const retryAfterSeconds = await countTry(db, limits, WINDOW_MINUTES)
  if (retryAfterSeconds > 0) {
    await uncountTries(db, { returned: limits })
    return { kind: 'throttled', retryAfterSeconds }
  }
  await queueMail(schoolDb, signUpMail, email, request.facts)
  return { kind: 'accepted' }
}

/**
 * Makes a person a student of the school, by their own wish. A person who has a role keeps it as it
 * is. The caller has proof that it is this person: a session here, which then counts as their first
 * sign-in, or their mailbox, and the session that begins next is the first one. It must not look
 * like one after another sign-in, which the person would be told about.
 */
export async function joinAsStudent(
  tx: SchoolTx,
  userId: string,
  by: { readonly proof: 'mail_link' | 'session'; readonly requestId: string },
): Promise<void> {
  const signedInAt = by.proof === 'session' ? sql`now()` : sql`null::timestamptz`
  const { rows } = await tx.run(sql<{ user_id: string }>`
    insert into school_members as m (school_id, user_id, roles, signed_in_at)
    values (${tx.schoolId}, ${userId}, '{student}', ${signedInAt})
    on conflict (school_id, user_id) do update set
      roles = case when m.roles = '{}' then excluded.roles else m.roles end,
      signed_in_at = coalesce(m.signed_in_at, excluded.signed_in_at)
    returning user_id`)
  if (rows.length === 0) throw new Error('a member was not stored')
  await record(tx, {
    action: 'person.signed_up',
    outcome: 'ok',
    actorUserId: userId,
    detail: { by: by.proof },
    requestId: by.requestId,
  })
}

/**
 * Makes the account of a person who opened the link in their mailbox, and their role here. An
 * account that a school made for this email, and that has no credential yet, becomes theirs, with
 * the name that they typed. Any other account stays untouched: the reader of a mailbox must not get
 * into it here.
 */
export async function finishSignUp(
  db: SchoolDb,
  link: SignUpLink,
  chosen: FirstPassword,
): Promise<FirstPasswordOutcome> {
  const { name, next, school, requestId } = chosen
  const problem = await findPasswordProblem(next, { email: link.email, name, school })
  if (problem !== undefined) return { kind: 'unfit', problem }
  const hash = await hashPassword(next, db.schoolId)
  return await db.transaction(async (tx) => {
    const userId = await makeAccount(tx, link, chosen, hash)
    if (userId === undefined) return { kind: 'ended' }
    await joinAsStudent(tx, userId, { proof: 'mail_link', requestId })
    return {
      kind: 'accepted',
      person: await loadPerson(acrossSchools(tx), userId),
      credential: { kind: 'password', hash },
      methods: ['password'],
    }
  })
}

/**
 * Undefined if there is an account that a person can sign in to, or one that can still take the
 * address back.
 */
async function makeAccount(
  tx: SchoolTx,
  { email }: SignUpLink,
  { name, requestId }: FirstPassword,
  passwordHash: string,
): Promise<string | undefined> {
  const db = acrossSchools(tx)
  await lockAddresses(db, email)
  if (await isKept(db, email)) return undefined
  const { id, isNew } = await findOrCreatePerson(db, { email, name, passwordHash })
  if (isNew) {
    const entry = { action: 'person.created', outcome: 'ok', detail: { via: 'sign_up' } } as const
    await recordCreated(db, { ...entry, requestId }, [id])
    return id
  }
  const claim = { userId: id, name, email, hash: passwordHash, by: 'sign_up', requestId } as const
  return (await claimAccount(tx, claim)) ? id : undefined
}
