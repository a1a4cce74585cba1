import type { FastifyReply, FastifyRequest } from 'fastify'
import { LruCache } from '../foundation/cache/lru-cache.ts'
import { sha256 } from '../foundation/crypto/digest.ts'
import { clientAddress } from '../foundation/http/client-address.ts'
import {
  createAddressRateLimiter,
  type RateLimitPolicy,
  refuseRate,
} from '../foundation/http/rate-limit.ts'
import { OAuthError } from '../foundation/protocol/errors.ts'

/**
 * Limits requests whose token is refused, by school and address, before their bodies are read.
 * Others are not counted, because many people share the address of a school or of an app's server.
 * A token that was given out or good lately is checked also when nothing is left: strangers behind
 * the same address must not lock its holder out.
 */
export class BadTokens {
  readonly #ofAddress
  readonly #good: GoodTokens

  constructor(
    policy: RateLimitPolicy,
    good: GoodTokens,
    options: { readonly now?: () => number } = {},
  ) {
    this.#ofAddress = createAddressRateLimiter(policy, options)
    this.#good = good
  }

  /** Performs the check of a token, unless too many from this address were refused. */
  async count<C>(
    request: FastifyRequest,
    reply: FastifyReply,
    check: () => Promise<C>,
  ): Promise<C> {
    const { school } = request
    const digest = sha256(tokenOf(request))
    const address = clientAddress(request)
    // An address that sent no bad token lately makes nothing here.
    const account = this.#ofAddress.knows(address, school.id)
      ? this.#ofAddress.open(address, school.id)
      : undefined
    if (account?.isEmpty() && !this.#good.has(school.id, digest)) {
      refuseRate(this.#ofAddress.policy, account.decide(), reply)
    }
    // Counted as refused until it is known to be good, so that requests at the same time do not all
    // find something left.
    account?.spend(1)
    try {
      const caller = await check()
      account?.spend(-1)
      this.#good.add(school.id, digest)
      return caller
    } catch (error) {
      if (!isBadToken(error)) account?.spend(-1)
      else {
        if (account === undefined) this.#ofAddress.open(address, school.id).spend(1)
        this.#good.delete(school.id, digest)
      }
      throw error
    }
  }
}

/** What follows the word Bearer; any other header is refused. */
function tokenOf({ headers: { authorization = '' } }: FastifyRequest): string {
  return authorization.slice(authorization.lastIndexOf(' ') + 1)
}

function isBadToken(error: unknown): boolean {
  return error instanceof OAuthError && error.code === 'invalid_token'
}

/** Of all schools; one school has a quarter of them at most. */
const REMEMBERED = 20_000

/**
 * SHA-256 digests of access tokens that this process gave out or found good lately, because tokens
 * are kept nowhere. They are not proven by this, only worth a look when strangers have used up what
 * their address has.
 */
export class GoodTokens {
  readonly #digests = new LruCache<true>(REMEMBERED, { busy: true })

  has(schoolId: string, digest: Buffer): boolean {
    return this.#digests.get(keyOf(schoolId, digest)) === true
  }

  add(schoolId: string, digest: Buffer): void {
    this.#digests.set(keyOf(schoolId, digest), true, 1, schoolId)
  }

  delete(schoolId: string, digest: Buffer): void {
    this.#digests.delete(keyOf(schoolId, digest))
  }
}

function keyOf(schoolId: string, digest: Buffer): string {
  return schoolId + digest.toString('base64')
}
