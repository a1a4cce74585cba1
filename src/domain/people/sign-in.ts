import { KeyedLimiter, LimiterFull } from '../../foundation/concurrency/limiter.ts'
import { verifyPassword } from '../../foundation/crypto/password.ts'
import type { Db } from '../../foundation/db/database.ts'
import { addressBucket } from '../../foundation/net/address.ts'
import { HAS_SECOND_FACTOR } from './factors/authenticators.ts'
import { typedEmail } from './person.ts'
import type { ProvenByPassword } from './sessions.ts'
import {
  countTry,
  type Requester,
  type SignInCounters,
  signInCounters,
  uncountTries,
} from './sign-in-counters.ts'

export type SignInOutcome =
  | ({ readonly kind: 'signed_in'; readonly hasSecondFactor: boolean } & ProvenByPassword)
  /** Wrong password or no such account: the caller must not know which. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  /** Too many people sign in at the same time. The password was not checked. */
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number }

const WINDOW_MINUTES = 15
const BUSY_SECONDS = 5

/**
 * A try counts as a failure until its password is checked. These limits keep the number of
 * unchecked tries below the allowed failures, so that many correct sign-ins at the same time are
 * not refused.
 */
const perAccount = new KeyedLimiter({ running: 4, waiting: 64 })
const perAddress = new KeyedLimiter({ running: 32, waiting: 256 })

interface Attempt extends Requester {
  readonly email: string
  readonly password: string
  /**
   * Password checks are shared fairly by school: many sign-ins at one must not block the others.
   */
  readonly schoolId: string
}

/**
 * Checks an email and a password. Crosses schools, because a person has one account. Throttled per
 * account and per address, and the same steps are made for accounts that do not exist. A browser
 * that signed in to the account before has a counter of its own and waits behind no stranger.
 */
export async function signIn(
  db: Db,
  throttleKey: Buffer,
  attempt: Attempt,
): Promise<SignInOutcome> {
  const { password, address, device, schoolId } = attempt
  const email = typedEmail(attempt.email)
  const counters = signInCounters(throttleKey, email, attempt)
  const check = () => tryPassword(db, { email, password, schoolId, counters })
  try {
    if (device !== undefined) return await perAccount.run(JSON.stringify([device, email]), check)
    const bucket = addressBucket(address)
    return await perAccount.run(JSON.stringify([bucket, email]), () =>
      perAddress.run(bucket, check),
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
  readonly counters: SignInCounters
}

async function tryPassword(
  db: Db,
  { email, password, schoolId, counters }: CountedTry,
): Promise<SignInOutcome> {
  const all = [...counters.ofAccount, ...counters.ofAddress]
  const retryAfterSeconds = await countTry(db, all, WINDOW_MINUTES)
  if (retryAfterSeconds > 0) {
    await uncountTries(db, { returned: all })
    return { kind: 'throttled', retryAfterSeconds }
  }
  const row = await db
    .selectFrom('users')
    .select(['id', 'email', 'name', 'avatar_url', 'password_hash', HAS_SECOND_FACTOR])
    .where((eb) => eb(eb.fn('lower', ['email']), '=', email))
    .executeTakeFirst()
  const matches = await verifyInTime(row?.password_hash, password, schoolId)
  if (matches === 'busy') {
    await uncountTries(db, { returned: all })
    return { kind: 'busy', retryAfterSeconds: BUSY_SECONDS }
  }
  if (!matches || !row?.email || !row.password_hash) return { kind: 'refused' }
  await uncountTries(db, { returned: counters.ofAddress, cleared: counters.ofAccount })
  const { id, name, avatar_url } = row
  return {
    kind: 'signed_in',
    person: { id, name, email: row.email, avatarUrl: avatar_url ?? undefined },
    credential: { kind: 'password', hash: row.password_hash },
    methods: ['password'],
    hasSecondFactor: row.has_second_factor,
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
