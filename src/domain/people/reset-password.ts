import { sql } from 'kysely'
import { hashPassword } from '../../foundation/crypto/password.ts'
import type { Db } from '../../foundation/db/database.ts'
import { acrossSchools, type SchoolDb } from '../../foundation/db/school-db.ts'
import { parseToken } from '../../foundation/protocol/token-format.ts'
import { HAS_SECOND_FACTOR } from './factors/authenticators.ts'
import { forgottenPasswordMail } from './mails/password-mails.ts'
import { queueMail } from './outgoing-mail.ts'
import {
  findPasswordProblem,
  minimumLength,
  type PasswordContext,
  type PasswordProblem,
} from './password-strength.ts'
import { typedEmail } from './person.ts'
import { removeRecentPasskeys } from './remove-recent-credentials.ts'
import { lockPerson, setPassword } from './set-password.ts'
import { countTry, resetCounters, signInCounters, uncountTries } from './sign-in-counters.ts'

export interface ResetAccount {
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly hasSecondFactor: boolean
}

/** The account that a link belongs to; undefined if the link is not valid. */
export async function findResetAccount(
  db: SchoolDb,
  presented: string,
): Promise<ResetAccount | undefined> {
  const token = parseToken('passwordReset', presented)
  if (token === undefined) return undefined
  const row = await db
    .from('password_resets')
    .innerJoin('users', 'users.id', 'password_resets.user_id')
    .select(['users.id', 'users.email', 'users.name', HAS_SECOND_FACTOR])
    .where('password_resets.id', '=', token.id)
    .where('password_resets.secret_hash', '=', token.hash)
    .where('password_resets.used_at', 'is', null)
    .where('password_resets.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (row?.email == null) return undefined
  const { id, email, name, has_second_factor } = row
  return { userId: id, email, name, hasSecondFactor: has_second_factor }
}

export type ResetOutcome =
  | { readonly kind: 'changed'; readonly email: string }
  | { readonly kind: 'expired' }
  | { readonly kind: 'unfit'; readonly problem: PasswordProblem }

/**
 * Sets a new password by a link. Each link works once. It ends every session, grant and pending
 * code of the person, at every school, and clears the failed tries, so that the person can sign in
 * at once. A second factor stays, and so does every passkey that the person has had for longer
 * (`remove-recent-credentials.ts`): the mailbox alone must not replace them.
 */
export async function resetPassword(
  db: Db,
  schoolDb: SchoolDb,
  throttleKey: Buffer,
  request: {
    readonly token: string
    readonly next: string
    /** Whether to remove the passkeys that were added lately, at every school. */
    readonly removesPasskeys: boolean
    readonly school: PasswordContext['school']
    readonly address: string
    readonly requestId: string
  },
): Promise<ResetOutcome> {
  const account = await findResetAccount(schoolDb, request.token)
  const token = parseToken('passwordReset', request.token)
  if (account === undefined || token === undefined) return { kind: 'expired' }
  const { userId, email } = account
  const minimum = minimumLength(account.hasSecondFactor)
  const about = { ...account, school: request.school }
  const problem = await findPasswordProblem(request.next, about, minimum)
  if (problem !== undefined) return { kind: 'unfit', problem }
  const hash = await hashPassword(request.next, schoolDb.schoolId)
  const changed = await schoolDb.transaction(async (tx) => {
    // The person first, like every new password: two links used at once would otherwise wait for
    // each other.
    await lockPerson(tx, userId)
    const used = await tx
      .update('password_resets')
      .set({ used_at: sql<Date>`now()` })
      .where('id', '=', token.id)
      .where('secret_hash', '=', token.hash)
      .where('used_at', 'is', null)
      .where('expires_at', '>', sql<Date>`now()`)
      .returning('user_id')
      .executeTakeFirst()
    if (used === undefined) return false
    const how = { by: 'reset_link', requestId: request.requestId } as const
    if (request.removesPasskeys) await removeRecentPasskeys(acrossSchools(tx), userId, how)
    return await setPassword(tx, { userId, email, hash, ...how, endsAccess: true })
  })
  if (!changed) return { kind: 'expired' }
  const { ofAccount } = signInCounters(throttleKey, typedEmail(email), request)
  await uncountTries(db, { cleared: ofAccount })
  return { kind: 'changed', email }
}

const WINDOW_MINUTES = 60

export type ResetRequest =
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  | { readonly kind: 'accepted' }

/**
 * Stores that a mail for this email was asked for. No table of people is read here: whether there
 * is an account, and which mail it gets, is decided after the answer (`decideMail`). So known
 * and unknown emails are the same work.
 */
export async function requestPasswordReset(
  db: Db,
  schoolDb: SchoolDb,
  throttleKey: Buffer,
  request: { readonly email: string; readonly address: string },
): Promise<ResetRequest> {
  const email = typedEmail(request.email)
  const limits = resetCounters(throttleKey, email, request.address)
  const retryAfterSeconds = await countTry(db, limits, WINDOW_MINUTES)
  if (retryAfterSeconds > 0) {
    await uncountTries(db, { returned: limits })
    return { kind: 'throttled', retryAfterSeconds }
  }
  await queueMail(schoolDb, forgottenPasswordMail, email, {})
  return { kind: 'accepted' }
}
