import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/access/caller.ts'
import { createAddressRateLimiter } from '../../foundation/http/address-rate-limit.ts'
import { clientAddress } from '../../foundation/http/client-address.ts'
import { checkRate, createRateLimiter } from '../../foundation/http/rate-limit.ts'
import { addressBucket } from '../../foundation/net/address-buckets.ts'

/** This many busy callers may share one address at a school, for example that of an office or a vendor. */
const CALLERS_PER_ADDRESS = 10

/** A client without a token sends a few messages (a greeting, the list) for each tool that it calls. */
const MESSAGES_PER_CALL = 2

/**
 * Counts every message before its body is read, whatever its method: by school and address while its token is
 * unknown, and once more by address if it has none. Tool calls are counted by authorization too.
 */
export function createRateChecks(callsPerMinute: number) {
  const policy = (name: string, quota: number) => ({ name, quota, windowSeconds: 60 })
  const messages = createRateLimiter(policy('messages', callsPerMinute * CALLERS_PER_ADDRESS))
  const strangers = createAddressRateLimiter(
    policy('strangers', callsPerMinute * MESSAGES_PER_CALL),
  )
  const tools = createRateLimiter(policy('tools', callsPerMinute))
  return {
    ofAddress: (request: FastifyRequest, reply: FastifyReply) =>
      checkRate(messages, `${request.school.id} ${addressOf(request)}`, reply),
    ofStranger: (request: FastifyRequest, reply: FastifyReply) =>
      checkRate(strangers, clientAddress(request), reply),
    ofCall: (request: FastifyRequest, caller: Caller | undefined, reply: FastifyReply) =>
      checkRate(tools, caller?.authorizationId ?? addressOf(request), reply),
  }
}

function addressOf(request: FastifyRequest): string {
  return addressBucket(clientAddress(request))
}
