import type { FastifyRequest } from 'fastify'
import { authenticateBearer, type BearerDemands, type Caller } from '../domain/access/caller.ts'
import { logFailure } from '../foundation/http/last-resort.ts'
import { parseBearer } from '../foundation/protocol/bearer-header.ts'
import { OAuthError } from '../foundation/protocol/errors.ts'
import { RETRY_AFTER_SECONDS } from './refusal.ts'

/** The caller of a request, or undefined if it brought no credentials at all. */
export async function findCaller(
  request: FastifyRequest,
  demands?: BearerDemands,
): Promise<Caller | undefined> {
  const token = parseBearer(request.headers.authorization)
  if (token === undefined) return undefined
  const caller = await authenticateBearer(request.at, token, demands).catch((error: unknown) => {
    throw error instanceof OAuthError ? error : noVerdict(request, error)
  })
  request.outcome.clientId = caller.clientId
  request.outcome.personId = caller.person.id
  return caller
}

/**
 * A fault of ours while a token is judged says nothing about the token, whatever the fault: a client
 * that took it for a verdict would throw a good token away.
 */
function noVerdict(request: FastifyRequest, fault: unknown): OAuthError {
  logFailure(request, fault)
  return new OAuthError(
    'temporarily_unavailable',
    'The access token could not be checked at the moment. Try again shortly with the same token.',
    { retryAfter: RETRY_AFTER_SECONDS, cause: fault },
  )
}

/** The caller of a request to a surface without an anonymous mode. */
export async function loadCaller(
  request: FastifyRequest,
  demands?: BearerDemands,
): Promise<Caller> {
  const caller = await findCaller(request, demands)
  if (caller === undefined) {
    throw new OAuthError(
      'invalid_token',
      'No access token was sent: send Authorization: Bearer, a space and the access token.',
    )
  }
  return caller
}
