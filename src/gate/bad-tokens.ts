import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LruCache } from '../foundation/cache/lru-cache.ts'
import { createAddressRateLimiter } from '../foundation/http/address-rate-limit.ts'
import { clientAddress } from '../foundation/http/client-address.ts'
import {
  type RateLimitPolicy,
  rateLimitFields,
  TooManyRequestsError,
} from '../foundation/http/rate-limit.ts'
import { OAuthError } from '../foundation/protocol/errors.ts'

/** Tokens that were good lately, of all schools; one school has a quarter of them at most. */
const GOOD_TOKENS = 10_000

/**
 * Limits requests whose token is refused, by school and address, before their bodies are read. Others are not counted,
 * because many people share the address of a school or of an app's server. A token that was good lately is checked also when
 * nothing is left: strangers behind the same address must not lock its holder out.
 */
export class BadTokens {
  readonly #ofAddress
  readonly #good = new LruCache<true>(GOOD_TOKENS)

  constructor(policy: RateLimitPolicy, options: { readonly now?: () => number } = {}) {
    this.#ofAddress = createAddressRateLimiter(policy, options)
  }

  /** Performs the check of a token, unless too many from this address were refused. */
  async count<C>(
    request: FastifyRequest,
    reply: FastifyReply,
    check: () => Promise<C>,
  ): Promise<C> {
    const { school } = request
    const address = clientAddress(request)
    // An address that sent no bad token lately makes nothing here.
    const account = this.#ofAddress.knows(address, school.id)
      ? this.#ofAddress.open(address, school.id)
      : undefined
    if (account?.isEmpty() && this.#good.get(keyOf(request)) === undefined) {
      const decision = account.decide()
      reply.headers(rateLimitFields(this.#ofAddress.policy, decision))
      throw new TooManyRequestsError(decision.retryAfterSeconds)
    }
    // Counted as refused until it is known to be good, so that requests at the same time do not all find something left.
    account?.spend(1)
    try {
      const caller = await check()
      account?.spend(-1)
      this.#remember(request)
      return caller
    } catch (error) {
      if (!isBadToken(error)) account?.spend(-1)
      else {
        if (account === undefined) this.#ofAddress.open(address, school.id).spend(1)
        this.#good.delete(keyOf(request))
      }
      throw error
    }
  }

  #remember(request: FastifyRequest): void {
    const key = keyOf(request)
    if (this.#good.get(key) === undefined) this.#good.set(key, true, 1, request.school.id)
  }
}

/** A digest, because tokens are kept nowhere. */
function keyOf({ school, headers }: FastifyRequest): string {
  return school.id + hash('sha256', headers.authorization ?? '', 'base64')
}

function isBadToken(error: unknown): boolean {
  return error instanceof OAuthError && error.code === 'invalid_token'
}
