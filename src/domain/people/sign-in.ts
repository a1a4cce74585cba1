import { KeyedLimiter } from '../../foundation/concurrency/keyed-limiter.ts'
import { LimiterFull } from '../../foundation/concurrency/limiter.ts'
import { hmacSha256 } from '../../foundation/crypto/digest.ts'
import { verifyPassword } from '../../foundation/crypto/password.ts'
import type { Db } from '../../foundation/db/database.ts'
import { normalEmail, type Person } from './person.ts'
import { countTry, type ThrottleLimit, uncountTries } from './throttle.ts'

export type SignInOutcome =
  | { readonly kind: 'signed_in'; readonly person: Person }
  /** Wrong password or no such account: the caller must not know which. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  /** Too many people sign in at the same time. The password was not checked. */
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number }

/**
 * Allowed failures in a window: for one account from one address, for one account from all addresses,
 * and from one address, which may be a whole office. If the second were as low as the first, an
 * attacker could lock a person out with ten wrong passwords.
 */
const FAILURES = { accountFromAddress: 10, account: 50, address: 100 } as const
const WINDOW_MINUTES = 15
const BUSY_SECONDS = 5

/**
 * A try counts as a failure until its password is checked. These limits keep the number of unchecked
 * tries below the allowed failures, so that many correct sign-ins at the same time are not refused.
 */
const perAccountAndAddress = new KeyedLimiter({ running: 4, waiting: 64 })
const perAddress = new KeyedLimiter({ running: 32, waiting: 256 })

interface Attempt {
  readonly email: string
  readonly password: string
  readonly address: string
  /** Password checks are shared fairly by school: many sign-ins at one must not block the others. */
  readonly schoolId: string
}

/**
 * Checks an email and a password. Crosses schools, because a person has one account. Throttled per
 * account and per address, and the same steps are made for accounts that do not exist.
 */
export async function signIn(
  db: Db,
  throttleKey: Buffer,
  attempt: Attempt,
): Promise<SignInOutcome> {
  const { password, address, schoolId } = attempt
  // PostgreSQL rejects a NUL byte in text. No stored email has one, so the replaced text finds nothing.
  const email = normalEmail(attempt.email).replaceAll('\0', '\ufffd')
  const ofAccount = limitsOfAccount(throttleKey, email, address)
  const ofAddress = [limit(throttleKey, `address:${address}`, FAILURES.address)]
  try {
    return await perAccountAndAddress.run(JSON.stringify([address, email]), () =>
      perAddress.run(address, () =>
        tryPassword(db, { email, password, schoolId, ofAccount, ofAddress }),
      ),
    )
  } catch (error) {
    if (error instanceof LimiterFull) return { kind: 'busy', retryAfterSeconds: BUSY_SECONDS }
    throw error
  }
}

interface CountedTry {
  readonly email: string
  readonly password: string
  readonly schoolId: string
  readonly ofAccount: readonly ThrottleLimit[]
  readonly ofAddress: readonly ThrottleLimit[]
}

async function tryPassword(
  db: Db,
  { email, password, schoolId, ofAccount, ofAddress }: CountedTry,
): Promise<SignInOutcome> {
  const all = [...ofAccount, ...ofAddress]
  const retryAfterSeconds = await countTry(db, all, WINDOW_MINUTES)
  if (retryAfterSeconds > 0) {
    await uncountTries(db, { returned: all })
    return { kind: 'throttled', retryAfterSeconds }
  }
  const row = await db
    .selectFrom('users')
    .select(['id', 'email', 'name', 'avatar_url', 'password_hash'])
    .where((eb) => eb(eb.fn('lower', ['email']), '=', email))
    .executeTakeFirst()
  const matches = await verifyInTime(row?.password_hash, password, schoolId)
  if (matches === 'busy') {
    await uncountTries(db, { returned: all })
    return { kind: 'busy', retryAfterSeconds: BUSY_SECONDS }
  }
  if (!matches || row === undefined || row.email === null) return { kind: 'refused' }
  await uncountTries(db, { returned: ofAddress, cleared: ofAccount })
  const { id, name, avatar_url } = row
  return {
    kind: 'signed_in',
    person: { id, name, email: row.email, avatarUrl: avatar_url ?? undefined },
  }
}

async function verifyInTime(
  hash: string | null | undefined,
  password: string,
  schoolId: string,
): Promise<boolean | 'busy'> {
  try {
    return await verifyPassword(hash, password, schoolId)
  } catch (error) {
    if (error instanceof LimiterFull) return 'busy'
    throw error
  }
}

/** The failure counters of one account, from this address and from all addresses. */
export function limitsOfAccount(
  throttleKey: Buffer,
  email: string,
  address: string,
): ThrottleLimit[] {
  return [
    limit(throttleKey, `account-from-address:${address}:${email}`, FAILURES.accountFromAddress),
    limit(throttleKey, `account:${email}`, FAILURES.account),
  ]
}

function limit(throttleKey: Buffer, name: string, failures: number): ThrottleLimit {
  return { bucket: hmacSha256(throttleKey, name), failures }
}
