import type { FastifyRequest } from 'fastify'
import { authenticateClient, findClient } from '../../domain/clients/client.ts'
import { findIntrospection } from '../../domain/grants/introspection.ts'
import { checkNoAuthorizationHeader, formOf } from './form-request.ts'
import { requireParameter } from './require-parameter.ts'

/**
 * Introspection, on older origins alone, and of a client's own tokens alone: anything else is
 * simply not active.
 *
 * @see RFC 7662 §2
 */
export async function answerIntrospectionRequest(
  request: FastifyRequest,
): Promise<Record<string, unknown>> {
  const form = formOf(request)
  checkNoAuthorizationHeader(request)
  const clientId = requireParameter(form, 'client_id')
  const client = authenticateClient(
    await findClient(request.at, clientId),
    form.get('client_secret'),
  )
  request.outcome.clientId = client.clientId
  const found = await findIntrospection(request.at, clientId, requireParameter(form, 'token'))
  if (found === undefined) return { active: false }
  return {
    active: true,
    scope: found.scopes.join(' '),
    client_id: clientId,
    token_type: found.kind === 'access' ? 'Bearer' : 'refresh_token',
    iss: request.school.origin,
    iat: found.issuedAt,
    exp: found.expiresAt,
    ...(found.userId === undefined ? {} : { sub: found.userId }),
    ...(found.resource === undefined ? {} : { aud: found.resource }),
    ...(found.boundSchoolId === undefined ? {} : { school_id: found.boundSchoolId }),
  }
}
