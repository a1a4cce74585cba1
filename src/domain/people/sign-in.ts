import { hmacSha256 } from '../../foundation/crypto/digest.ts'
import { verifyPassword } from '../../foundation/crypto/password.ts'
import type { Db } from '../../foundation/db/database.ts'
import { normalEmail, type Person } from './person.ts'
import { clearFailures, countFailure, throttledFor } from './throttle.ts'

export type SignInOutcome =
  | { readonly kind: 'signed_in'; readonly person: Person }
  /** Wrong password or no such account: the caller must not know which. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }

/** Failures an account may have in a window, and an address, which may be a whole office. */
const ACCOUNT_FAILURES = 10
const ADDRESS_FAILURES = 100
const WINDOW_MINUTES = 15

/**
 * Checks an email and a password. Crosses schools, since the account is one; it is throttled per
 * account and per address, and takes as long for accounts that do not exist.
 */
export async function signIn(
  db: Db,
  throttleKey: Buffer,
  attempt: { email: string; password: string; address: string },
): Promise<SignInOutcome> {
  const email = normalEmail(attempt.email)
  const limits = [
    { bucket: hmacSha256(throttleKey, `account:${email}`), failures: ACCOUNT_FAILURES },
    { bucket: hmacSha256(throttleKey, `address:${attempt.address}`), failures: ADDRESS_FAILURES },
  ]
  const retryAfterSeconds = await throttledFor(db, limits)
  if (retryAfterSeconds > 0) return { kind: 'throttled', retryAfterSeconds }

  const row = await db
    .selectFrom('users')
    .select(['id', 'email', 'name', 'avatar_url', 'password_hash'])
    .where((eb) => eb(eb.fn('lower', ['email']), '=', email))
    .executeTakeFirst()
  const fits = await verifyPassword(row?.password_hash, attempt.password)
  if (!fits || row === undefined || row.email === null) {
    await countFailure(db, limits, WINDOW_MINUTES)
    return { kind: 'refused' }
  }
  await clearFailures(db, limits.slice(0, 1))
  const { id, name, avatar_url } = row
  return {
    kind: 'signed_in',
    person: { id, name, email: row.email, avatarUrl: avatar_url ?? undefined },
  }
}
