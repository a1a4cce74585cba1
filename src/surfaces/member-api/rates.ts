import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/access/caller.ts'
import { createAddressRateLimiter } from '../../foundation/http/address-rate-limit.ts'
import { clientAddress } from '../../foundation/http/client-address.ts'
import {
  createRateLimiter,
  type RateAccount,
  type RateLimiter,
  rateLimitFields,
  TooManyRequestsError,
} from '../../foundation/http/rate-limit.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'

/** Requests without a good token. Many more than a client that lost its token sends before it notices. */
const REFUSED_PER_MINUTE = 6000

/**
 * The limits of the Member API, in the memory of this process. An authorization has so much cost in each
 * minute. Requests whose token is refused are counted by address, before their bodies are read; others are not,
 * because many members share the address of a school or of an app's server.
 */
export function createMemberRates(costPerMinute: number) {
  const ofAuthorization = createRateLimiter({
    name: 'member-api',
    quota: costPerMinute,
    windowSeconds: 60,
  })
  const ofAddress = createAddressRateLimiter({
    name: 'address',
    quota: REFUSED_PER_MINUTE,
    windowSeconds: 60,
  })
  return {
    /**
     * Counts a request as refused until its token is known to be good, so that requests at the same time do not all
     * find something left. Undefined for an address that sent no bad token lately: most requests make nothing here.
     */
    enter(request: FastifyRequest, reply: FastifyReply): RateAccount | undefined {
      const address = clientAddress(request)
      if (!ofAddress.knows(address)) return undefined
      const account = ofAddress.open(address)
      checkAllowance(ofAddress, account, reply)
      account.spend(1)
      return account
    },

    /** Call it with what `enter` gave, and with the error if the caller was refused. */
    settle(request: FastifyRequest, account: RateAccount | undefined, error?: unknown): void {
      const isBadToken = error instanceof OAuthError && error.code === 'invalid_token'
      if (account === undefined && isBadToken) ofAddress.open(clientAddress(request)).spend(1)
      else if (account !== undefined && !isBadToken) account.spend(-1)
    },

    /** The allowance from which a request pays; throws if none is left. */
    accountOf(caller: Caller, reply: FastifyReply): RateAccount {
      const account = ofAuthorization.open(caller.authorizationId)
      checkAllowance(ofAuthorization, account, reply)
      return account
    },

    /** Shows what is left, after the request has paid. */
    tell(account: RateAccount, reply: FastifyReply): void {
      // Without Retry-After: this request was answered.
      const fields = rateLimitFields(ofAuthorization.policy, account.decide())
      reply.header('ratelimit-policy', fields['ratelimit-policy'])
      reply.header('ratelimit', fields.ratelimit)
    },
  }
}

function checkAllowance(limiter: RateLimiter, account: RateAccount, reply: FastifyReply): void {
  if (!account.isEmpty()) return
  const decision = account.decide()
  reply.headers(rateLimitFields(limiter.policy, decision))
  throw new TooManyRequestsError(decision.retryAfterSeconds)
}
