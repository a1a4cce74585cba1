import type { FastifyRequest } from 'fastify'
import { authenticateBearer, type BearerDemands, type Caller } from '../domain/access/caller.ts'
import { parseBearer } from '../foundation/protocol/bearer-header.ts'
import { OAuthError } from '../foundation/protocol/errors.ts'

/** The caller of a request, or undefined if it brought no credentials at all. */
export async function findCaller(
  request: FastifyRequest,
  demands?: BearerDemands,
): Promise<Caller | undefined> {
  const token = parseBearer(request.headers.authorization)
  if (token === undefined) return undefined
  const caller = await authenticateBearer(request.at, token, demands)
  request.outcome.clientId = caller.clientId
  request.outcome.personId = caller.person.id
  return caller
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
