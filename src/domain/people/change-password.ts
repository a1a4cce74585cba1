import { hashPassword } from '../../foundation/crypto/password.ts'
import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { hasSecondFactor } from './factors/authenticators.ts'
import {
  findPasswordProblem,
  minimumLength,
  type PasswordContext,
  type PasswordProblem,
} from './password-rule.ts'
import { type BrowserSession, type ProvenByPassword, withProof } from './sessions.ts'
import { lockPerson, setPassword } from './set-password.ts'
import { signIn } from './sign-in.ts'
import { passwordChangeCounter } from './sign-in-counters.ts'
import { countTry } from './throttle.ts'

export type PasswordChange =
  | ({ readonly kind: 'changed' } & ProvenByPassword)
  | { readonly kind: 'wrong_current' }
  | { readonly kind: 'throttled' | 'busy'; readonly retryAfterSeconds: number }
  | { readonly kind: 'unfit'; readonly problem: PasswordProblem }

interface PasswordChangeRequest {
  readonly session: BrowserSession
  readonly address: string
  readonly school: PasswordContext['school']
  readonly current: string
  readonly next: string
  /** Whether to disconnect all apps, at every school. */
  readonly endsAccess: boolean
  readonly requestId: string
}

/**
 * Changes the password of the signed-in person, who must type the current one. All sessions end, at every school:
 * a cookie may have been stolen. The caller starts a new one. Crosses schools, because a person has one account for
 * all of them.
 */
export async function changePassword(
  db: Db,
  at: SchoolDb,
  throttleKey: Buffer,
  request: PasswordChangeRequest,
): Promise<PasswordChange> {
  const { session, school, current, next, address } = request
  const { person } = session
  const minimum = minimumLength(await hasSecondFactor(db, person.id))
  const problem = await findPasswordProblem(next, { ...person, school }, minimum)
  if (problem !== undefined) return { kind: 'unfit', problem }
  // An attacker could guess passwords here as well, so it counts as a sign-in try. The session proves the browser, and
  // its counter is its own: strangers who guess at the sign-in page cannot keep the person from changing the password.
  const proof = await signIn(db, throttleKey, {
    email: person.email,
    password: current,
    address,
    device: session.id,
    schoolId: at.schoolId,
  })
  if (proof.kind === 'throttled' || proof.kind === 'busy') return proof
  if (proof.kind === 'refused' || proof.person.id !== person.id) return { kind: 'wrong_current' }
  const changes = passwordChangeCounter(throttleKey, person.id)
  const retryAfterSeconds = await countTry(db, [changes], 60)
  if (retryAfterSeconds > 0) return { kind: 'throttled', retryAfterSeconds }
  const hash = await hashPassword(next, at.schoolId)
  const stored = await at.transaction(async (tx) => {
    await lockPerson(tx, person.id)
    // The session of this request ends here, too.
    await tx.confirmCaller()
    return await setPassword(tx, {
      userId: person.id,
      email: person.email,
      hash,
      replaces: proof.credential.hash,
      by: 'current_password',
      endsAccess: request.endsAccess,
      requestId: request.requestId,
    })
  })
  if (!stored) return { kind: 'wrong_current' }
  return {
    kind: 'changed',
    person,
    credential: { kind: 'password', hash },
    // The new session is the old one with another password: what it proved stays.
    methods: withProof(session.methods, 'password'),
  }
}
