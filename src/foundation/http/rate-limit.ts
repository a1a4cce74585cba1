import { performance } from 'node:perf_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { forgottenAtOnce } from '../cache/lru-cache.ts'
import { addressBuckets } from '../net/address.ts'
import { RequestRefusedError } from './client-fault.ts'

export type RateLimitPolicy = {
  /** Shown to callers; letters, digits and hyphens. */
  readonly name: string
  /** The number of requests allowed at once, and per window in the long run. */
  readonly quota: number
  readonly windowSeconds: number
}

export type RateDecision = {
  readonly allowed: boolean
  readonly remaining: number
  /** Until the whole quota is available again. */
  readonly resetSeconds: number
  /** Until the next request would be allowed; 0 if one is now. */
  readonly retryAfterSeconds: number
}

/** One key's bucket, for work whose price is known only while it is done. */
export interface RateAccount {
  /**
   * Takes units whether they are there or not: what is missing must be waited for before the next
   * request.
   */
  spend(units: number): void
  /** Units that were taken and were not there. */
  debt(): number
  /** Whether nothing is left for another request. */
  isEmpty(): boolean
  /** Whether another request is allowed now. */
  decide(): RateDecision
}

type RateLimiter = {
  readonly policy: RateLimitPolicy
  readonly take: (key: string) => RateDecision
  readonly open: (key: string) => RateAccount
  /** Whether this key was counted before. */
  readonly knows: (key: string) => boolean
}

export class TooManyRequestsError extends RequestRefusedError {
  readonly retryAfterSeconds: number

  constructor(retryAfterSeconds: number) {
    super(429, `Too many requests. Try again in ${retryAfterSeconds} s.`)
    this.name = 'TooManyRequestsError'
    this.retryAfterSeconds = retryAfterSeconds
  }
}

type Bucket = { tokens: number; filledAt: number }

/** The arithmetic of one policy. */
class Rate {
  readonly #quota: number
  readonly #tokensPerMs: number

  constructor({ quota, windowSeconds }: RateLimitPolicy) {
    this.#quota = quota
    this.#tokensPerMs = quota / (windowSeconds * 1000)
  }

  newBucket(at: number): Bucket {
    return { tokens: this.#quota, filledAt: at }
  }

  refill(bucket: Bucket, at: number): void {
    const elapsed = Math.max(0, at - bucket.filledAt)
    bucket.tokens = Math.min(this.#quota, bucket.tokens + elapsed * this.#tokensPerMs)
    bucket.filledAt = at
  }

  decide({ tokens }: Bucket, allowed: boolean): RateDecision {
    return {
      allowed,
      remaining: Math.max(0, Math.floor(tokens)),
      resetSeconds: this.#secondsFor(this.#quota - tokens),
      retryAfterSeconds: tokens >= 1 ? 0 : Math.max(1, this.#secondsFor(1 - tokens)),
    }
  }

  #secondsFor(tokens: number): number {
    return Math.ceil(tokens / this.#tokensPerMs / 1000)
  }
}

/** A class, because closures for each request would be more garbage. */
class Account implements RateAccount {
  readonly #bucket: Bucket
  readonly #rate: Rate

  constructor(bucket: Bucket, rate: Rate) {
    this.#bucket = bucket
    this.#rate = rate
  }

  refill(at: number): void {
    this.#rate.refill(this.#bucket, at)
  }

  spend(units: number): void {
    this.#bucket.tokens -= units
  }

  debt(): number {
    return Math.max(0, -this.#bucket.tokens)
  }

  isEmpty(): boolean {
    return this.#bucket.tokens < 1
  }

  decide(): RateDecision {
    return this.#rate.decide(this.#bucket, !this.isEmpty())
  }
}

/** An account that its owner keeps, and refills before each use. */
export type KeptAccount = Account

/** Makes accounts for what the caller knows without a key. */
export function rateAccounts(policy: RateLimitPolicy): (at: number) => KeptAccount {
  const rate = new Rate(policy)
  return (at) => new Account(rate.newBucket(at), rate)
}

function deleteOldest(buckets: Map<string, Bucket>, count: number): void {
  let left = count
  for (const key of buckets.keys()) {
    if (left-- === 0) return
    buckets.delete(key)
  }
}

/**
 * Token buckets in this process's memory, one per key. At `maxKeys` the least recently used keys
 * are deleted, and start with a full bucket when they come again. So a key must not contain
 * anything that a caller can vary freely: its variants would push out the keys of other callers.
 */
export function createRateLimiter(
  policy: RateLimitPolicy,
  options: { readonly maxKeys?: number; readonly now?: () => number } = {},
): RateLimiter {
  const { maxKeys = 50_000, now = () => performance.now() } = options
  const rate = new Rate(policy)
  const buckets = new Map<string, Bucket>()

  function refill(key: string, at: number): Bucket {
    const bucket = buckets.get(key)
    if (bucket === undefined) {
      if (buckets.size >= maxKeys) deleteOldest(buckets, 1 + forgottenAtOnce(maxKeys))
      return rate.newBucket(at)
    }
    buckets.delete(key)
    rate.refill(bucket, at)
    return bucket
  }

  function find(key: string): Bucket {
    const bucket = refill(key, now())
    // A map keeps its order of insertion: inserting the key again makes it the most recently used.
    buckets.set(key, bucket)
    return bucket
  }

  return {
    policy,
    take(key) {
      const bucket = find(key)
      const allowed = bucket.tokens >= 1
      if (allowed) bucket.tokens -= 1
      return rate.decide(bucket, allowed)
    },
    open: (key) => new Account(find(key), rate),
    knows: (key) => buckets.has(key),
  }
}

/**
 * Headers that show a client how much is left, so that it can slow down before it is refused.
 *
 * @see draft-ietf-httpapi-ratelimit-headers-09 §3, §4
 */
export function rateLimitFields(
  policy: RateLimitPolicy,
  decision: RateDecision,
): Record<string, string> {
  const fields: Record<string, string> = {
    'ratelimit-policy': policyText(policy),
    ratelimit: `"${policy.name}";r=${decision.remaining};t=${decision.resetSeconds}`,
  }
  if (!decision.allowed) fields['retry-after'] = String(decision.retryAfterSeconds)
  return fields
}

/** Written once: every answer of a limited endpoint carries it. */
const policyTexts = new WeakMap<RateLimitPolicy, string>()

function policyText(policy: RateLimitPolicy): string {
  const known = policyTexts.get(policy)
  if (known !== undefined) return known
  const text = `"${policy.name}";q=${policy.quota};w=${policy.windowSeconds}`
  policyTexts.set(policy, text)
  return text
}

/** Sets the RateLimit headers and throws. */
export function refuseRate(
  policy: RateLimitPolicy,
  decision: RateDecision,
  reply: FastifyReply,
): never {
  reply.headers(rateLimitFields(policy, decision))
  throw new TooManyRequestsError(decision.retryAfterSeconds)
}

/** Counts one request, sets the RateLimit headers, and throws if the request is above the limit. */
export function checkRate(limiter: RateLimiter, key: string, reply: FastifyReply): void {
  const decision = limiter.take(key)
  reply.headers(rateLimitFields(limiter.policy, decision))
  if (!decision.allowed) throw new TooManyRequestsError(decision.retryAfterSeconds)
}

/** `checkRate` as a hook; a request for which `keyOf` finds no key is not counted. */
export function rateLimitHook(
  limiter: RateLimiter,
  keyOf: (request: FastifyRequest) => string | undefined,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    const key = keyOf(request)
    if (key !== undefined) checkRate(limiter, key, reply)
  }
}

/**
 * `within` is what addresses are counted in, for example a school: what they do elsewhere does not
 * count there.
 */
export interface AddressRateLimiter extends RateLimiter {
  readonly take: (address: string, within?: string) => RateDecision
  readonly open: (address: string, within?: string) => RateAccount
  readonly knows: (address: string, within?: string) => boolean
}

/**
 * A rate limiter whose keys are addresses. An IPv6 address counts in its /64, its /56 and its /48.
 * The headers show the policy of a single caller and what is left in the fullest bucket.
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
        // A refused request does not count further: one household must not use up the allowance of
        // its neighbours.
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
