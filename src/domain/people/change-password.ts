import { sql } from 'kysely'
import { hashPassword } from '../../foundation/crypto/password.ts'
import type { Db } from '../../foundation/db/database.ts'
import { atSchoolInTransaction, type SchoolTx } from '../../foundation/db/school-db.ts'
import { record } from '../audit/audit.ts'
import { findPasswordProblem, type PasswordProblem } from './password-rule.ts'
import { type BrowserSession, endSession, endSessionsOfPerson } from './sessions.ts'
import { signIn } from './sign-in.ts'

export type PasswordChange =
  | { readonly kind: 'changed' }
  | { readonly kind: 'wrong_current' }
  | { readonly kind: 'throttled' | 'busy'; readonly retryAfterSeconds: number }
  | { readonly kind: 'unfit'; readonly problem: PasswordProblem }

interface PasswordChangeRequest {
  readonly session: BrowserSession
  readonly current: string
  readonly next: string
  readonly address: string
  /** Whether to sign the person out in all other browsers, at every school. */
  readonly endOtherSessions: boolean
  readonly requestId: string
}

/**
 * Changes the password of the signed-in person, who must type the current one. This session always
 * ends, because its cookie may have been stolen; the caller starts a new one. Crosses schools, because
 * a person has one account for all of them.
 */
export async function changePassword(
  db: Db,
  schoolId: string,
  throttleKey: Buffer,
  request: PasswordChangeRequest,
): Promise<PasswordChange> {
  const { session, current, next, address } = request
  const { person } = session
  const problem = findPasswordProblem(next, person.email)
  if (problem !== undefined) return { kind: 'unfit', problem }
  // An attacker could guess passwords here as well, so it counts as a sign-in try.
  const proof = await signIn(db, throttleKey, {
    email: person.email,
    password: current,
    address,
    schoolId,
  })
  if (proof.kind === 'throttled' || proof.kind === 'busy') return proof
  if (proof.kind === 'refused' || proof.person.id !== person.id) return { kind: 'wrong_current' }
  const hash = await hashPassword(next, schoolId)
  await db.transaction().execute(async (tx) => {
    const at = atSchoolInTransaction(tx, schoolId)
    await storePassword(tx, person.id, hash)
    if (request.endOtherSessions) await endSessionsOfPerson(tx, person.id)
    else await endSession(at, session.id)
    await recordChange(at, person.id, 'current_password', request.requestId)
  })
  return { kind: 'changed' }
}

/** Also ends all unused links for a forgotten password. */
export async function storePassword(tx: Db, userId: string, hash: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ password_hash: hash, password_changed_at: sql<Date>`now()` })
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .execute()
  await tx
    .updateTable('password_resets')
    .set({ used_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute()
}

export async function recordChange(
  at: SchoolTx,
  userId: string,
  by: 'current_password' | 'reset_link',
  requestId: string,
): Promise<void> {
  await record(at, {
    action: 'person.password_changed',
    outcome: 'ok',
    actorUserId: userId,
    detail: { by },
    requestId,
  })
}
