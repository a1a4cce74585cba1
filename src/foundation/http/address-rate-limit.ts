import { addressBuckets } from '../net/address-buckets.ts'
import {
  createRateLimiter,
  type RateAccount,
  type RateDecision,
  type RateLimiter,
  type RateLimitPolicy,
} from './rate-limit.ts'

/** `within` is what addresses are counted in, for example a school: what they do elsewhere does not count there. */
export interface AddressRateLimiter extends RateLimiter {
  readonly take: (address: string, within?: string) => RateDecision
  readonly open: (address: string, within?: string) => RateAccount
  readonly knows: (address: string, within?: string) => boolean
}

/**
 * A rate limiter whose keys are addresses. An IPv6 address counts in its /64, its /56 and its /48. The headers show
 * the policy of a single caller and what is left in the fullest bucket.
 */
export function createAddressRateLimiter(
  policy: RateLimitPolicy,
  options: { readonly maxKeys?: number; readonly now?: () => number } = {},
): AddressRateLimiter {
  const limiters = new Map<number, RateLimiter>()

  function limiterOf(times: number): RateLimiter {
    const known = limiters.get(times)
    if (known !== undefined) return known
    const made = createRateLimiter({ ...policy, quota: policy.quota * times }, options)
    limiters.set(times, made)
    return made
  }

  return {
    policy,
    take(address, within = '') {
      const [narrowest, ...wider] = addressBuckets(address)
      let tightest: RateDecision = limiterOf(narrowest.times).take(within + narrowest.name)
      for (const { name, times } of wider) {
        // A refused request does not count further: one household must not use up the allowance of its neighbours.
        if (!tightest.allowed) return tightest
        const decision = limiterOf(times).take(within + name)
        if (!decision.allowed || decision.remaining < tightest.remaining) tightest = decision
      }
      return tightest
    },
    knows: (address, within = '') =>
      limiters.size > 0 &&
      addressBuckets(address).some(
        ({ name, times }) => limiters.get(times)?.knows(within + name) === true,
      ),
    open(address, within = '') {
      const accounts = addressBuckets(address).map(({ name, times }) =>
        limiterOf(times).open(within + name),
      )
      return {
        spend(units) {
          for (const account of accounts) account.spend(units)
        },
        isEmpty: () => accounts.some((account) => account.isEmpty()),
        debt: () => Math.max(...accounts.map((account) => account.debt())),
        decide: () =>
          accounts
            .map((account) => account.decide())
            .reduce((a, b) => (!b.allowed || b.remaining < a.remaining ? b : a)),
      }
    },
  }
}
