import { KeyedLimiter } from '../../foundation/concurrency/keyed-limiter.ts'
import { LimiterFull } from '../../foundation/concurrency/limiter.ts'
import { hmacSha256 } from '../../foundation/crypto/digest.ts'
import { verifyPassword } from '../../foundation/crypto/password.ts'
import type { Db } from '../../foundation/db/database.ts'
import { normalEmail, type Person } from './person.ts'
import { giveBack, type ThrottleLimit, takeTry } from './throttle.ts'

export type SignInOutcome =
  | { readonly kind: 'signed_in'; readonly person: Person }
  /** Wrong password or no such account: the caller must not know which. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  /** More are signing in than the machine can check; says nothing about this one. */
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number }

/**
 * Failures in a window: of one account from one address, of one account from anywhere, and of one
 * address, which may be a whole office. With the second as low as the first, anybody could lock
 * anybody out by typing their email ten times.
 */
const FAILURES = { accountFromAddress: 10, account: 50, address: 100 } as const
const WINDOW_MINUTES = 15
const BUSY_SECONDS = 5

/**
 * A try counts from before it is checked, so right passwords under way look like failures. Few enough
 * of them at once never reach a limit: neither a test run with one account, nor an office on Monday.
 */
const ofOneAccountFromAddress = new KeyedLimiter({ running: 4, waiting: 64 })
const ofOneAddress = new KeyedLimiter({ running: 32, waiting: 256 })

interface Attempt {
  readonly email: string
  readonly password: string
  readonly address: string
  /** Where: a storm at one school must not keep people out of the others. */
  readonly schoolId: string
}

/**
 * Checks an email and a password. Crosses schools, since the account is one; it is throttled per
 * account and per address, and takes the same steps for accounts that do not exist.
 */
export async function signIn(
  db: Db,
  throttleKey: Buffer,
  attempt: Attempt,
): Promise<SignInOutcome> {
  const { password, address, schoolId } = attempt
  // PostgreSQL refuses a NUL byte in any text; no stored email has one, so nothing is found instead.
  const email = normalEmail(attempt.email).replaceAll('\0', '\ufffd')
  const ofAccount = limitsOfAccount(throttleKey, email, address)
  const ofAddress = [limit(throttleKey, `address:${address}`, FAILURES.address)]
  try {
    return await ofOneAccountFromAddress.run(JSON.stringify([address, email]), () =>
      ofOneAddress.run(address, () =>
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
  const retryAfterSeconds = await takeTry(db, all, WINDOW_MINUTES)
  if (retryAfterSeconds > 0) {
    await giveBack(db, { returned: all })
    return { kind: 'throttled', retryAfterSeconds }
  }
  const row = await db
    .selectFrom('users')
    .select(['id', 'email', 'name', 'avatar_url', 'password_hash'])
    .where((eb) => eb(eb.fn('lower', ['email']), '=', email))
    .executeTakeFirst()
  const fits = await verifyInTime(row?.password_hash, password, schoolId)
  if (fits === 'busy') {
    await giveBack(db, { returned: all })
    return { kind: 'busy', retryAfterSeconds: BUSY_SECONDS }
  }
  if (!fits || row === undefined || row.email === null) return { kind: 'refused' }
  await giveBack(db, { returned: ofAddress, cleared: ofAccount })
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

/** The counters of failed tries of one account, as seen from one address. */
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
