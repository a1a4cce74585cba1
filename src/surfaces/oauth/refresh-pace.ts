import type { FastifyReply } from 'fastify'
import { LruCache } from '../../foundation/cache/lru-cache.ts'
import { createRateLimiter, refuseRate } from '../../foundation/http/rate-limit.ts'
import { rowKey } from '../../foundation/protocol/token-format.ts'

/** Tokens of all chains: those of two hours with 20,000 people, as a client refreshes every two hours. */
const REMEMBERED = 20_000

/**
 * Every refresh adds rows that live for months, and an access token lives for two hours: a client that refreshes
 * in a loop is slowed down. Refreshes are counted along the chain of tokens that this process gave out, because
 * a request does not name its authorization. Only those that succeed count: no stranger can use up the allowance.
 */
export class RefreshPace {
  readonly #limiter
  /** The first token of the chain, by the id of a later one. */
  readonly #roots = new LruCache<string>(REMEMBERED, { busy: true })

  constructor(perHour: number) {
    this.#limiter = createRateLimiter({ name: 'refresh', quota: perHour, windowSeconds: 3600 })
  }

  /** The chain of a token; throws if it has refreshed too often. */
  check(refreshToken: string | undefined, reply: FastifyReply): string | undefined {
    const id = refreshToken === undefined ? undefined : rowKey('refresh', refreshToken)
    if (id === undefined) return undefined
    const root = this.#roots.get(id) ?? id
    if (!this.#limiter.knows(root)) return root
    const decision = this.#limiter.open(root).decide()
    return decision.allowed ? root : refuseRate(this.#limiter.policy, decision, reply)
  }

  /** Counts a refresh that succeeded. */
  count(root: string, next: string): void {
    this.#limiter.open(root).spend(1)
    const child = rowKey('refresh', next)
    if (child !== undefined) this.#roots.set(child, root, 1)
  }
}
