import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../domain/actor/actor.ts'
import { actorOf, type Caller } from '../../domain/grants/caller.ts'
import { type DescribedOperation, neededScopes } from '../../domain/operation/operation.ts'
import { clientAddress } from '../../foundation/http/client-address.ts'
import {
  checkRate,
  createAddressRateLimiter,
  createRateLimiter,
} from '../../foundation/http/rate-limit.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { loadCaller } from '../../gate/bearer-gate.ts'

/** This many busy apps may share one address, for example that of an office or a vendor. */
const APPS_PER_ADDRESS = 10

/**
 * Counts requests by address before their token is known, and by authorization after that, so that
 * many requests of one app do not slow another app down.
 */
export function createRateChecks(perMinute: number) {
  const ofAddress = createAddressRateLimiter({
    name: 'address',
    quota: perMinute * APPS_PER_ADDRESS,
    windowSeconds: 60,
  })
  const ofApp = createRateLimiter({ name: 'app', quota: perMinute, windowSeconds: 60 })
  return {
    ofAddress: (request: FastifyRequest, reply: FastifyReply) =>
      checkRate(ofAddress, clientAddress(request), reply),
    ofApp: (caller: Caller, reply: FastifyReply) => checkRate(ofApp, caller.authorizationId, reply),
  }
}

/**
 * The caller, who must hold an operator token. A member's token can never hold these scopes, so its
 * refusal says that an operator client is needed.
 */
export async function loadOperator(
  request: FastifyRequest,
  operation: DescribedOperation,
): Promise<Caller> {
  const caller = await loadCaller(request)
  if (caller.audience !== 'operator') {
    throw insufficientScope(
      neededScopes(operation),
      'The REST API accepts only operator tokens. Authorize an operator client as an owner or admin of this school.',
    )
  }
  checkScopes(caller, neededScopes(operation))
  return caller
}

/** @see RFC 6750 §3.1 */
export function checkScopes(caller: Caller, needed: readonly string[]): void {
  const missing = needed.filter((scope) => !caller.scopes.has(scope))
  if (missing.length === 0) return
  throw insufficientScope(
    needed,
    `The access token lacks ${missing.join(' and ')}. Authorize again with every scope that WWW-Authenticate names.`,
  )
}

function insufficientScope(needed: readonly string[], description: string): OAuthError {
  return new OAuthError('insufficient_scope', description, { scope: needed.join(' ') })
}

export function apiActor(request: FastifyRequest, caller: Caller): Actor {
  return actorOf(caller, { via: 'admin_api', origin: request.school.origin, requestId: request.id })
}
