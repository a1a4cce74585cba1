import type { FastifyReply } from 'fastify'
import type { Caller } from '../../domain/grants/caller.ts'
import {
  createRateLimiter,
  type RateAccount,
  type RateDecision,
  rateLimitFields,
  refuseRate,
} from '../../foundation/http/rate-limit.ts'

/** What one request pays from the allowance of its authorization. */
export class Bill {
  readonly #account: RateAccount
  #paid = 0

  constructor(account: RateAccount) {
    this.#account = account
  }

  spend(units: number): void {
    this.#paid += units
    this.#account.spend(units)
  }

  /**
   * Whether others spent what this request would need. It may begin with little left and go into debt for itself; many
   * at the same time may not each do so.
   */
  isOverdrawn(): boolean {
    return this.#account.debt() > this.#paid
  }

  decide(): RateDecision {
    return this.#account.decide()
  }
}

/** The allowance of cost that an authorization has in each minute, in the memory of this process. */
export function createMemberRates(costPerMinute: number) {
  const { policy, open } = createRateLimiter({
    name: 'member-api',
    quota: costPerMinute,
    windowSeconds: 60,
  })
  return {
    /** Throws if nothing is left for another request. */
    begin(caller: Caller, reply: FastifyReply): Bill {
      const account = open(caller.authorizationId)
      return account.isEmpty() ? refuseRate(policy, account.decide(), reply) : new Bill(account)
    },

    /** Throws if others spent it meanwhile. */
    check(bill: Bill, reply: FastifyReply): void {
      if (bill.isOverdrawn()) refuseRate(policy, bill.decide(), reply)
    },

    /** Shows what is left, after the request has paid. */
    tell(bill: Bill, reply: FastifyReply): void {
      // Without Retry-After: this request was answered.
      const fields = rateLimitFields(policy, bill.decide())
      reply.header('ratelimit-policy', fields['ratelimit-policy'])
      reply.header('ratelimit', fields.ratelimit)
    },
  }
}
