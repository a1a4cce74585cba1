import type { Keyring } from '../../../foundation/crypto/seal.ts'
import { TOTP_DIGITS } from '../../../foundation/crypto/totp.ts'
import { acrossSchools, type SchoolDb } from '../../../foundation/db/school-db.ts'
import { queueNotice } from '../notices.ts'
import type { Person } from '../person.ts'
import { recordAboutPerson } from '../school-to-tell.ts'
import { codeCounters, type Requester } from '../sign-in-counters.ts'
import { countTry, uncountTries } from '../throttle.ts'
import { useTotpCode } from './authenticators.ts'
import {
  countRecoveryCodes,
  isRecoveryCode,
  normalCode,
  useRecoveryCode,
} from './recovery-codes.ts'

const WINDOW_MINUTES = 15
const TOTP_CODE = new RegExp(`^\\d{${TOTP_DIGITS}}$`)

export type CodeOutcome =
  | { readonly kind: 'right'; readonly method: 'code' | 'recovery_code' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }

interface CodeAttempt extends Requester {
  readonly person: Pick<Person, 'id' | 'email'>
  /** A code of the app, or a recovery code: people need not say which. */
  readonly typed: string
  readonly requestId: string
}

/**
 * Checks the second factor of a person who proved the first, or who is signed in. Each code works once. Crosses schools,
 * because a person has one account.
 */
export async function checkCode(
  at: SchoolDb,
  keyring: Keyring,
  attempt: CodeAttempt,
): Promise<CodeOutcome> {
  const code = normalCode(attempt.typed)
  if (isRecoveryCode(code)) return await tryRecoveryCode(at, keyring, attempt, code)
  if (!TOTP_CODE.test(code)) return { kind: 'wrong' }
  const db = acrossSchools(at)
  const counters = codeCounters(keyring.key('sign-in-throttle'), attempt.person.id, attempt)
  const retryAfterSeconds = await countTry(db, counters, WINDOW_MINUTES)
  if (retryAfterSeconds > 0) {
    await uncountTries(db, { returned: counters })
    return { kind: 'throttled', retryAfterSeconds }
  }
  if (!(await useTotpCode(db, keyring, attempt.person.id, code))) return { kind: 'wrong' }
  await uncountTries(db, { returned: counters })
  return { kind: 'right', method: 'code' }
}

/**
 * Not counted: 66 bits cannot be guessed. So a person whom a thief of the password locks out with wrong codes can still
 * sign in with one of these.
 */
async function tryRecoveryCode(
  at: SchoolDb,
  keyring: Keyring,
  { person, requestId }: CodeAttempt,
  code: string,
): Promise<CodeOutcome> {
  return await at.transaction(async (tx) => {
    const db = acrossSchools(tx)
    const userId = person.id
    if (!(await useRecoveryCode(db, keyring, userId, code))) return { kind: 'wrong' }
    const left = await countRecoveryCodes(db, userId)
    const entry = { action: 'factor.used_recovery_code', actorUserId: userId, requestId } as const
    await recordAboutPerson(db, userId, { ...entry, detail: { left } }, tx)
    await queueNotice(tx, 'recovery_code_used', person)
    return { kind: 'right', method: 'recovery_code' }
  })
}
