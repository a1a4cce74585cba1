import type { FastifyRequest } from 'fastify'
import { type IdentityClaims, identityClaims, namesPerson } from '../../domain/grants/claims.ts'
import { noteActivity } from '../../domain/grants/count-activity.ts'
import { loadKnownCaller } from '../../gate/bearer-gate.ts'

/** @see OpenID Connect Core 1.0 §5.3 */
export async function answerUserInfoRequest(request: FastifyRequest): Promise<IdentityClaims> {
  const caller = await loadKnownCaller(request)
  const claims = identityClaims(request.school, caller.person, caller.roles, caller.scopes)
  if (namesPerson(claims)) noteActivity(request.at, caller, 'profile', 'read')
  return claims
}
