import type { FastifyReply } from 'fastify'
import { LruCache } from '../../foundation/cache/lru-cache.ts'
import {
  type KeptAccount,
  type RateLimitPolicy,
  rateAccounts,
  refuseRate,
} from '../../foundation/http/rate-limit.ts'
import { rowKey } from '../../foundation/protocol/token-format.ts'

/** Tokens of all chains: those of two hours with 20,000 people, as a client refreshes every two hours. */
const REMEMBERED = 20_000

/**
 * Every refresh adds rows that live for months, and an access token lives for two hours: a client that refreshes
 * in a loop is slowed down. Refreshes are counted along the chain of tokens that this process gave out, because
 * a request does not name its authorization. Only those that succeed count: no stranger can use up the allowance.
 */
export class RefreshPace {
  readonly #policy: RateLimitPolicy
  readonly #newAccount: (at: number) => KeptAccount
  /** By the id of each token of a chain. */
  readonly #chains = new LruCache<RefreshChain>(REMEMBERED, { busy: true })

  constructor(perHour: number) {
    this.#policy = { name: 'refresh', quota: perHour, windowSeconds: 3600 }
    this.#newAccount = rateAccounts(this.#policy)
  }

  /** The chain of a token; throws if it has refreshed too often. */
  check(refreshToken: string | undefined, reply: FastifyReply): RefreshChain | undefined {
    const id = refreshToken === undefined ? undefined : rowKey('refresh', refreshToken)
    if (id === undefined) return undefined
    const now = performance.now()
    const known = this.#chains.get(id)
    if (known === undefined) return { account: this.#newAccount(now), first: id }
    known.account.refill(now)
    if (known.account.isEmpty()) refuseRate(this.#policy, known.account.decide(), reply)
    return known
  }

  /** Counts a refresh that succeeded. */
  count(chain: RefreshChain, next: string): void {
    chain.account.spend(1)
    const child = rowKey('refresh', next)
    if (child !== undefined) this.#chains.set(child, chain, 1)
    if (chain.first === undefined) return
    this.#chains.set(chain.first, chain, 1)
    chain.first = undefined
  }
}

interface RefreshChain {
  readonly account: KeptAccount
  /** The id of its first token, until that is remembered too. */
  first: string | undefined
}
