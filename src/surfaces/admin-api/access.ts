import type { FastifyReply, FastifyRequest } from 'fastify'
import { actorOf, type Caller } from '../../domain/access/caller.ts'
import type { Actor } from '../../domain/actor.ts'
import { type DescribedOperation, neededScopes } from '../../domain/operation.ts'
import { addressBucket, clientAddress } from '../../foundation/http/client-address.ts'
import { checkRate, createRateLimiter } from '../../foundation/http/rate-limit.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { loadCaller } from '../../gate/bearer-gate.ts'

/** So many busy apps may share the address of one office or one vendor. */
const APPS_PER_ADDRESS = 10

/**
 * Counts callers by address until their token is known, and by authorization from then on: one
 * app's storm must not slow another down.
 */
export function createRateChecks(perMinute: number) {
  const ofAddress = createRateLimiter({
    name: 'address',
    quota: perMinute * APPS_PER_ADDRESS,
    windowSeconds: 60,
  })
  const ofApp = createRateLimiter({ name: 'app', quota: perMinute, windowSeconds: 60 })
  return {
    ofAddress: (request: FastifyRequest, reply: FastifyReply) =>
      checkRate(ofAddress, addressBucket(clientAddress(request)), reply),
    ofApp: (caller: Caller, reply: FastifyReply) => checkRate(ofApp, caller.authorizationId, reply),
  }
}

/**
 * The caller, who must hold an operator token. A member's token lacks the scopes by its nature, and
 * is told so in those words, since no other scope that it could ask for would help.
 */
export async function loadOperator(
  request: FastifyRequest,
  operation: DescribedOperation,
): Promise<Caller> {
  const caller = await loadCaller(request)
  if (caller.audience !== 'operator') {
    throw lacking(
      neededScopes(operation),
      'The REST API takes operator tokens only. Authorize an operator client as an owner or admin of this school.',
    )
  }
  checkScopes(caller, neededScopes(operation))
  return caller
}

/** @see RFC 6750 §3.1 */
export function checkScopes(caller: Caller, needed: readonly string[]): void {
  const missing = needed.filter((scope) => !caller.scopes.has(scope))
  if (missing.length === 0) return
  throw lacking(
    needed,
    `The access token lacks ${missing.join(' and ')}. Authorize again with every scope that is named here.`,
  )
}

function lacking(needed: readonly string[], description: string): OAuthError {
  return new OAuthError('insufficient_scope', description, { scope: needed.join(' ') })
}

export function apiActor(request: FastifyRequest, caller: Caller): Actor {
  return actorOf(caller, { via: 'admin_api', origin: request.school.origin, requestId: request.id })
}
