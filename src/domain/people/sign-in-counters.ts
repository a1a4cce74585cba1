import { type RawBuilder, sql } from 'kysely'
import { hmacSha256 } from '../../foundation/crypto/digest.ts'
import type { Db } from '../../foundation/db/database.ts'
import { acrossSchools, type SchoolDb } from '../../foundation/db/school-db.ts'
import { addressBucket, addressBuckets } from '../../foundation/net/address.ts'

/** Who tries, as far as the server can tell before it knows the person. */
export interface Requester {
  /** The caller's address, or the one that trusted proxies name. */
  readonly address: string
  /** The browser, if it proved that it signed in to this account before (`known-device.ts`). */
  readonly device?: string | undefined
}

/**
 * Allowed failures in a window: for one account from one address, for one account from all unknown
 * browsers, from one address, which may be a whole office, and for one account from a browser that
 * signed in to it before.
 */
const FAILURES = { accountFromAddress: 10, account: 50, address: 100, device: 10 } as const

/**
 * For one account from a whole network. Below `account`: one network must not lock an account for
 * all others.
 */
const ACCOUNT_FROM_NETWORK = 40

export interface SignInCounters {
  /** Cleared by the right password. */
  readonly ofAccount: readonly ThrottleLimit[]
  readonly ofAddress: readonly ThrottleLimit[]
}

/**
 * The failure counters of one try. A known browser has only its own: otherwise strangers with wrong
 * passwords could lock the person out. Without the cookie of that browser nothing can count on it.
 *
 * @see OWASP, Slow Down Online Guessing Attacks with Device Cookies
 */
export function signInCounters(
  key: Buffer,
  email: string,
  { address, device }: Requester,
): SignInCounters {
  if (device !== undefined) {
    return { ofAccount: [limit(key, `device:${device}:${email}`, FAILURES.device)], ofAddress: [] }
  }
  const buckets = addressBuckets(address)
  return {
    ofAccount: [
      ...buckets.map(({ name, times }) =>
        limit(
          key,
          `account-from-address:${name}:${email}`,
          Math.min(FAILURES.accountFromAddress * times, ACCOUNT_FROM_NETWORK),
        ),
      ),
      limit(key, `account:${email}`, FAILURES.account),
    ],
    ofAddress: buckets.map(({ name, times }) =>
      limit(key, `address:${name}`, FAILURES.address * times),
    ),
  }
}

/**
 * Answers with a passkey that were wrong. Their own counters: guesses at passwords must not close
 * this way in. Strangers count at one school by their address; a browser that knows the account,
 * and a session, have a counter that no stranger can fill.
 */
export function passkeyCounters(
  key: Buffer,
  schoolId: string,
  { address, device }: Requester,
): ThrottleLimit[] {
  if (device !== undefined) return [limit(key, `passkey:device:${device}`, FAILURES.address)]
  return addressBuckets(address).map(({ name, times }) =>
    limit(key, `passkey:address:${schoolId}:${name}`, FAILURES.address * times),
  )
}

/**
 * Wrong codes of an authenticator app, for one account: from a browser where a code of it was right
 * before, from one address, and from all other browsers together. Three codes of a million are
 * right at a time, so who knows the password and guesses for a year has a chance of about three in
 * a hundred.
 */
const CODES = { browser: 10, browserInDay: 30, accountFromAddress: 10, accountInDay: 30 } as const
const DAY_MINUTES = 24 * 60

/** The right password clears none of them, and the right code gives only its own try back. */
export function codeCounters(
  key: Buffer,
  userId: string,
  { address, device }: Requester,
): ThrottleLimit[] {
  if (device !== undefined) {
    const inDay = limit(key, `code:device-day:${device}:${userId}`, CODES.browserInDay)
    return [
      limit(key, `code:device:${device}:${userId}`, CODES.browser),
      { ...inDay, windowMinutes: DAY_MINUTES },
    ]
  }
  const inDay = limit(key, `code:account-day:${userId}`, CODES.accountInDay)
  return [
    limit(
      key,
      `code:account-from-address:${addressBucket(address)}:${userId}`,
      CODES.accountFromAddress,
    ),
    { ...inDay, windowMinutes: DAY_MINUTES },
  ]
}

/**
 * Requests for a mail in an hour: for one account from one address, and from one address in all.
 */
const REQUESTS = { accountFromAddress: 3, address: 30 } as const

/**
 * No counter is shared by strangers and the person: nothing that they send keeps the person's own
 * request back.
 */
function requestCounters(key: Buffer, what: string, email: string, from: string): ThrottleLimit[] {
  return addressBuckets(from).flatMap(({ name, times }) => [
    limit(
      key,
      `${what}:account-from-address:${name}:${email}`,
      REQUESTS.accountFromAddress * times,
    ),
    limit(key, `${what}:address:${name}`, REQUESTS.address * times),
  ])
}

export function resetCounters(key: Buffer, email: string, address: string): ThrottleLimit[] {
  return requestCounters(key, 'reset', email, address)
}

export function signUpCounters(key: Buffer, email: string, address: string): ThrottleLimit[] {
  return requestCounters(key, 'sign-up', email, address)
}

/**
 * One mail with a link in this time, for one account and school; further requests find it in the
 * mailbox.
 */
export const MAIL_MINUTES = 10

/**
 * A new password ends the links, so it begins a new counter: otherwise a thief who knows the
 * password could ask for a link, change the password, and so keep the next link away.
 */
export function linkMailCounter(
  key: Buffer,
  schoolId: string,
  userId: string,
  passwordChangedAt: Date | null,
): ThrottleLimit {
  const password = passwordChangedAt?.toISOString() ?? 'none'
  return limit(key, `mail:${schoolId}:${userId}:${password}`, 1)
}

/**
 * Mails in an hour that a school sends to people who asked for a link. Far more than people of one
 * school forget.
 */
const LINK_MAILS_PER_HOUR = 1000

export function schoolMailCounter(key: Buffer, schoolId: string): ThrottleLimit {
  return limit(key, `mail:${schoolId}`, LINK_MAILS_PER_HOUR)
}

/**
 * Mails about new browsers in an hour, for one person: enough to be told, however many browsers a
 * thief uses.
 */
const NEW_BROWSERS_PER_HOUR = 5

export function newBrowserCounter(key: Buffer, userId: string): ThrottleLimit {
  return limit(key, `new-browser:${userId}`, NEW_BROWSERS_PER_HOUR)
}

/** One mail about a sign-up in `MAIL_MINUTES`, for one address and school. */
export function signUpMailCounter(key: Buffer, schoolId: string, email: string): ThrottleLimit {
  return limit(key, `sign-up-mail:${schoolId}:${email}`, 1)
}

/**
 * Mails about sign-ups in an hour. Strangers choose the addresses, so these have a counter of their
 * own: a flood must not keep links for forgotten passwords back.
 */
const SIGN_UP_MAILS_PER_HOUR = 500

export function schoolSignUpCounter(key: Buffer, schoolId: string): ThrottleLimit {
  return limit(key, `sign-up-mail:${schoolId}`, SIGN_UP_MAILS_PER_HOUR)
}

/** Invitations in an hour to one person, from all schools together. */
const INVITATIONS_PER_HOUR = 5

export function invitationCounter(key: Buffer, userId: string): ThrottleLimit {
  return limit(key, `invitation:${userId}`, INVITATIONS_PER_HOUR)
}

/** Invitations in an hour that a school sends, apart from the links that its people ask for. */
const SCHOOL_INVITATIONS_PER_HOUR = 1000

export function schoolInvitationCounter(key: Buffer, schoolId: string): ThrottleLimit {
  return limit(key, `invitation-mail:${schoolId}`, SCHOOL_INVITATIONS_PER_HOUR)
}

/** Requests for a new email address in an hour. Each sends two mails. */
const EMAIL_CHANGES_PER_HOUR = 5

export function emailChangeCounter(key: Buffer, userId: string): ThrottleLimit {
  return limit(key, `email-change:${userId}`, EMAIL_CHANGES_PER_HOUR)
}

/**
 * Mails in an hour that ask the owner of an address about a change, for all people and schools
 * together.
 */
const CHANGE_MAILS_TO_ADDRESS = 3

export function changeMailCounter(key: Buffer, email: string): ThrottleLimit {
  return limit(key, `email-change-mail:${email}`, CHANGE_MAILS_TO_ADDRESS)
}

/**
 * Reports in an hour that all factors of a person are lost. Each sends a mail, and can be taken
 * back at once.
 */
const LOST_FACTORS_PER_HOUR = 5

export function lostFactorsCounter(key: Buffer, userId: string): ThrottleLimit {
  return limit(key, `lost-factors:${userId}`, LOST_FACTORS_PER_HOUR)
}

/**
 * Changes of a password in an hour. Each ends the links in the mailbox, so a thief must not do it
 * again and again.
 */
const CHANGES_PER_HOUR = 10

export function passwordChangeCounter(key: Buffer, userId: string): ThrottleLimit {
  return limit(key, `password-change:${userId}`, CHANGES_PER_HOUR)
}

function limit(key: Buffer, name: string, failures: number): ThrottleLimit {
  return { bucket: hmacSha256(key, name), failures }
}

/** A counter of failures, named by a keyed hash, so that the table lists no emails or addresses. */
export interface ThrottleLimit {
  readonly bucket: Buffer
  readonly failures: number
  /** If it is another than that of the other counters of the try. */
  readonly windowMinutes?: number
}

/**
 * Counts what a member does at one school, and returns how many seconds to wait; 0 if they did it
 * no more than `most` times in this hour.
 */
export async function countAct(
  db: SchoolDb,
  throttleKey: Buffer,
  { kind, userId, most }: { readonly kind: string; readonly userId: string; readonly most: number },
): Promise<number> {
  const counter = limit(throttleKey, `${kind}:${db.schoolId}:${userId}`, most)
  return await countTry(acrossSchools(db), [counter], 60)
}

/**
 * Counts a try before its outcome is known and returns how many seconds to wait; 0 if the try may
 * go on. If it counted afterwards, many guesses at the same time would all pass. The caller takes a
 * try that was not a failed guess back with `uncountTries`.
 */
export async function countTry(
  db: Db,
  limits: readonly ThrottleLimit[],
  windowMinutes: number,
): Promise<number> {
  // Rows are locked in one order, here and below, so that two tries never wait for each other.
  const ordered = [...limits].sort((a, b) => Buffer.compare(a.bucket, b.bucket))
  const { rows } = await sql<{ seconds: number | null }>`
    with limits as materialized (
      select bucket, failures, minutes
      from unnest(${ordered.map((limit) => limit.bucket)}::bytea[],
                  ${ordered.map((limit) => limit.failures)}::int[],
                  ${ordered.map((limit) => limit.windowMinutes ?? windowMinutes)}::int[])
        as l (bucket, failures, minutes)),
    counted as (
      insert into sign_in_throttles as t (bucket, failures, window_ends_at)
      select bucket, 1, now() + make_interval(mins => minutes) from limits
      on conflict (bucket) do update set
        failures = case when t.window_ends_at > now() then t.failures + 1 else 1 end,
        window_ends_at = case when t.window_ends_at > now() then t.window_ends_at
                              else excluded.window_ends_at end
      returning bucket, failures, window_ends_at)
    select ceil(extract(epoch from max(c.window_ends_at) - now()))::int as seconds
    from counted c join limits l on l.bucket = c.bucket
    where c.failures > l.failures`.execute(db)
  return Math.max(0, rows[0]?.seconds ?? 0)
}

/** The seconds to wait, as a query of one row: null or less if a try may go on. Counts nothing. */
export function waitOf(limits: readonly ThrottleLimit[]): RawBuilder<unknown> {
  return sql`
    select ceil(extract(epoch from max(t.window_ends_at) - now()))::int as seconds
    from sign_in_throttles t
      join unnest(${limits.map((limit) => limit.bucket)}::bytea[],
                  ${limits.map((limit) => limit.failures)}::int[]) as l (bucket, failures) on l.bucket = t.bucket
    where t.failures >= l.failures and t.window_ends_at > now()`
}

/** Subtracts one try from each of `returned`, and removes all failures of `cleared`. */
export async function uncountTries(
  db: Db,
  { returned = [], cleared = [] }: Uncounted,
): Promise<void> {
  const all = [...returned, ...cleared].map((limit) => limit.bucket)
  // The failures that the lock has read: another try may have changed them since the statement
  // began.
  const forgotten = sql<boolean>`mine.bucket = any(${cleared.map((limit) => limit.bucket)}::bytea[]) or mine.failures <= 1`
  await sql`
    with mine as materialized (
      select bucket, failures from sign_in_throttles where bucket = any(${all}::bytea[])
      order by bucket for update),
    gone as (
      delete from sign_in_throttles t using mine
      where t.bucket = mine.bucket and (${forgotten}))
    update sign_in_throttles t set failures = mine.failures - 1 from mine
    where t.bucket = mine.bucket and not (${forgotten})`.execute(db)
}

interface Uncounted {
  readonly returned?: readonly ThrottleLimit[]
  readonly cleared?: readonly ThrottleLimit[]
}
