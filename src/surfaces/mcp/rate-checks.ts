import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/grants/caller.ts'
import { clientAddress } from '../../foundation/http/client-address.ts'
import {
  checkRate,
  createAddressRateLimiter,
  createRateLimiter,
} from '../../foundation/http/rate-limit.ts'
import { addressBucket } from '../../foundation/net/address.ts'
import { BadTokens, type GoodTokens } from '../../gate/bad-tokens.ts'

/** So many tokens may be refused for each tool call that one token may make. */
const REFUSED_PER_CALL = 10

/** A client without a token sends a few messages (a greeting, the list) for each tool that it calls. */
const MESSAGES_PER_CALL = 2

/** A client with one sends few others besides its calls; this is a bound, no measure. */
const MESSAGES_PER_CALL_WITH_TOKEN = 10

/**
 * Counts every message before its body is read, whatever its method: by address if it has no token, by school and address if
 * its token is bad, by authorization if it is good. Tool calls are counted once more.
 */
export function createRateChecks(callsPerMinute: number, goodTokens: GoodTokens) {
  const policy = (name: string, times: number) => ({
    name,
    quota: callsPerMinute * times,
    windowSeconds: 60,
  })
  const strangers = createAddressRateLimiter(policy('strangers', MESSAGES_PER_CALL))
  const badTokens = new BadTokens(policy('refused', REFUSED_PER_CALL), goodTokens)
  const messages = createRateLimiter(policy('messages', MESSAGES_PER_CALL_WITH_TOKEN))
  const tools = createRateLimiter(policy('tools', 1))
  return {
    ofStranger: (request: FastifyRequest, reply: FastifyReply) =>
      checkRate(strangers, clientAddress(request), reply),
    /** Performs the check of a token. */
    async ofToken<C extends Caller>(
      request: FastifyRequest,
      reply: FastifyReply,
      check: () => Promise<C>,
    ): Promise<C> {
      const caller = await badTokens.count(request, reply, check)
      checkRate(messages, caller.authorizationId, reply)
      return caller
    },
    ofCall: (request: FastifyRequest, caller: Caller | undefined, reply: FastifyReply) =>
      checkRate(tools, caller?.authorizationId ?? addressOf(request), reply),
  }
}

function addressOf(request: FastifyRequest): string {
  return addressBucket(clientAddress(request))
}
