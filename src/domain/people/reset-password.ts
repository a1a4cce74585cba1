import { sql } from 'kysely'
import { hmacSha256 } from '../../foundation/crypto/digest.ts'
import { hashPassword } from '../../foundation/crypto/password.ts'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { Db } from '../../foundation/db/database.ts'
import { atSchoolInTransaction, type SchoolDb } from '../../foundation/db/school-db.ts'
import { mintToken, parseToken } from '../../foundation/protocol/token-format.ts'
import { recordChange, storePassword } from './change-password.ts'
import { findPasswordProblem, type PasswordProblem } from './password-rule.ts'
import { normalEmail } from './person.ts'
import { endSessionsOfPerson } from './sessions.ts'
import { limitsOfAccount } from './sign-in.ts'
import { countTry, uncountTries } from './throttle.ts'

export const RESET_MINUTES = 60

/** Requests per hour for one account, and from one address, which may be a whole office. */
const ACCOUNT_REQUESTS = 3
const ADDRESS_REQUESTS = 30

export type ResetRequest =
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  /** `message` is set only if the account exists; the response to the browser must not show that. */
  | { readonly kind: 'accepted'; readonly message: ResetMessage | undefined }

export interface ResetMessage {
  readonly to: string
  readonly name: string
  readonly token: string
}

/**
 * Creates a link for a forgotten password if an account has this email. Known and unknown emails take
 * the same single statement and count alike, so that neither the time nor the limits show which is which.
 */
export async function requestPasswordReset(
  db: Db,
  at: SchoolDb,
  throttleKey: Buffer,
  request: { email: string; address: string },
): Promise<ResetRequest> {
  // PostgreSQL rejects a NUL byte in text. No stored email has one, so the replaced text finds nothing.
  const email = normalEmail(request.email).replaceAll('\0', '\ufffd')
  const limits = [
    { bucket: hmacSha256(throttleKey, `reset:account:${email}`), failures: ACCOUNT_REQUESTS },
    {
      bucket: hmacSha256(throttleKey, `reset:address:${request.address}`),
      failures: ADDRESS_REQUESTS,
    },
  ]
  const retryAfterSeconds = await countTry(db, limits, 60)
  if (retryAfterSeconds > 0) {
    await uncountTries(db, { returned: limits })
    return { kind: 'throttled', retryAfterSeconds }
  }
  const id = uuidv7()
  const token = mintToken('passwordReset', id)
  const { rows } = await at.run(sql<{ email: string; name: string }>`
    with person as (select id, email, name from users where lower(email) = ${email}),
    made as (
      insert into password_resets (id, secret_hash, school_id, user_id, expires_at)
      select ${id}, ${token.hash}, ${at.schoolId}, id, now() + make_interval(mins => ${RESET_MINUTES})
      from person)
    select email, name from person`)
  const person = rows[0]
  const message = person && { to: person.email, name: person.name, token: token.value }
  return { kind: 'accepted', message }
}

/** The email of the account that a link belongs to; undefined if the link is not valid. */
export async function findResetAccount(
  at: SchoolDb,
  presented: string,
): Promise<string | undefined> {
  const token = parseToken('passwordReset', presented)
  if (token === undefined) return undefined
  const row = await at
    .from('password_resets')
    .innerJoin('users', 'users.id', 'password_resets.user_id')
    .select('users.email')
    .where('password_resets.id', '=', token.id)
    .where('password_resets.secret_hash', '=', token.hash)
    .where('password_resets.used_at', 'is', null)
    .where('password_resets.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row?.email ?? undefined
}

export type ResetOutcome =
  | { readonly kind: 'changed' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'unfit'; readonly problem: PasswordProblem }

/**
 * Sets a new password by a link. Each link works once. It ends every session of the person, at every
 * school, and clears the failed tries, so that the person can sign in at once.
 */
export async function resetPassword(
  db: Db,
  at: SchoolDb,
  throttleKey: Buffer,
  request: { token: string; next: string; address: string; requestId: string },
): Promise<ResetOutcome> {
  const email = await findResetAccount(at, request.token)
  const token = parseToken('passwordReset', request.token)
  if (email === undefined || token === undefined) return { kind: 'expired' }
  const problem = findPasswordProblem(request.next, email)
  if (problem !== undefined) return { kind: 'unfit', problem }
  const hash = await hashPassword(request.next, at.schoolId)
  const changed = await db.transaction().execute(async (tx) => {
    const used = await tx
      .updateTable('password_resets')
      .set({ used_at: sql<Date>`now()` })
      .where('id', '=', token.id)
      .where('school_id', '=', at.schoolId)
      .where('secret_hash', '=', token.hash)
      .where('used_at', 'is', null)
      .where('expires_at', '>', sql<Date>`now()`)
      .returning('user_id')
      .executeTakeFirst()
    if (used === undefined) return false
    await storePassword(tx, used.user_id, hash)
    await endSessionsOfPerson(tx, used.user_id)
    const inSchool = atSchoolInTransaction(tx, at.schoolId)
    await recordChange(inSchool, used.user_id, 'reset_link', request.requestId)
    return true
  })
  if (!changed) return { kind: 'expired' }
  const cleared = limitsOfAccount(throttleKey, normalEmail(email), request.address)
  await uncountTries(db, { cleared })
  return { kind: 'changed' }
}
