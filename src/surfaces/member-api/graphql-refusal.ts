import type { FastifyReply } from 'fastify'
import { type ExecutionResult, GraphQLError, type GraphQLErrorExtensions } from 'graphql/index.js'
import type { Caller } from '../../domain/grants/caller.ts'
import { errorAddress } from '../../foundation/errors/catalogue.ts'
import { GRAPHQL_ERRORS, type GraphQLCode } from '../../foundation/errors/rest-errors.ts'
import {
  createRateLimiter,
  type RateAccount,
  type RateDecision,
  rateLimitFields,
  refuseRate,
} from '../../foundation/http/rate-limit.ts'
import { oneLine, oneSentence } from '../../foundation/text/visible-text.ts'

/** An error for the caller: a sentence for people and `extensions.code` for programs. */
export function refusal(
  code: GraphQLCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): GraphQLError {
  return new GraphQLError(message, { extensions: { code, ...details } })
}

/** A copy of an error, at its place in the document, with a code and perhaps another message. */
export function recoded(
  error: GraphQLError,
  code: GraphQLCode,
  message: string = error.message,
): GraphQLError {
  return new GraphQLError(message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    extensions: { code },
  })
}

/**
 * The answer as it is sent. Messages are short, because those of the engine quote names and values
 * of the request, whole; each code comes with the address that explains it.
 */
export function sentAnswer({ errors, ...rest }: ExecutionResult, origin: string): object {
  if (errors === undefined) return rest
  return {
    errors: errors.map(({ message, locations, path, extensions }) => ({
      message: oneSentence(message),
      ...(locations === undefined ? {} : { locations }),
      ...(path === undefined
        ? {}
        : { path: path.map((step) => (typeof step === 'string' ? oneLine(step) : step)) }),
      ...(Object.keys(extensions).length === 0
        ? {}
        : { extensions: explained(extensions, origin) }),
    })),
    ...rest,
  }
}

function explained(extensions: GraphQLErrorExtensions, origin: string): object {
  const { code } = extensions
  if (typeof code !== 'string' || !Object.hasOwn(GRAPHQL_ERRORS, code)) return extensions
  return { ...extensions, docs: errorAddress(origin, code as GraphQLCode) }
}

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
   * Whether others spent what this request would need. It may begin with little left and go into
   * debt for itself; many at the same time may not each do so.
   */
  isOverdrawn(): boolean {
    return this.#account.debt() > this.#paid
  }

  decide(): RateDecision {
    return this.#account.decide()
  }
}

/**
 * The allowance of cost that an authorization has in each minute, in the memory of this process.
 */
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
