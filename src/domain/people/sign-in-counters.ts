import { hmacSha256 } from '../../foundation/crypto/digest.ts'
import { addressBuckets } from '../../foundation/net/address-buckets.ts'
import type { ThrottleLimit } from './throttle.ts'

/** Who tries, as far as the server can tell before it knows the person. */
export interface Requester {
  /** The caller's address, or the one that trusted proxies name. */
  readonly address: string
  /** The browser, if it proved that it signed in to this account before (`known-device.ts`). */
  readonly device?: string | undefined
}

/**
 * Allowed failures in a window: for one account from one address, for one account from all unknown browsers,
 * from one address, which may be a whole office, and for one account from a browser that signed in to it before.
 */
const FAILURES = { accountFromAddress: 10, account: 50, address: 100, device: 10 } as const

/** For one account from a whole network. Below `account`: one network must not lock an account for all others. */
const ACCOUNT_FROM_NETWORK = 40

export interface SignInCounters {
  /** Cleared by the right password. */
  readonly ofAccount: readonly ThrottleLimit[]
  readonly ofAddress: readonly ThrottleLimit[]
}

/**
 * The failure counters of one try. A known browser has only its own: otherwise strangers with wrong passwords could
 * lock the person out. Without the cookie of that browser nothing can count on it.
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

/** Requests for a new password in an hour: for one account from one address, and from one address in all. */
const RESETS = { accountFromAddress: 3, address: 30 } as const

/** No counter is shared by strangers and the person: nothing that they send keeps the person's own request back. */
export function resetCounters(key: Buffer, email: string, address: string): ThrottleLimit[] {
  return addressBuckets(address).flatMap(({ name, times }) => [
    limit(key, `reset:account-from-address:${name}:${email}`, RESETS.accountFromAddress * times),
    limit(key, `reset:address:${name}`, RESETS.address * times),
  ])
}

/** One mail of a kind in this time, for one account and school; further requests find a link in the mailbox. */
export const MAIL_MINUTES = 10

export function mailCounter(key: Buffer, kind: string, schoolId: string, userId: string) {
  return limit(key, `mail:${kind}:${schoolId}:${userId}`, 1)
}

function limit(key: Buffer, name: string, failures: number): ThrottleLimit {
  return { bucket: hmacSha256(key, name), failures }
}
