import type { FastifyRequest } from 'fastify'
import { authenticateClient, findClient } from '../../domain/clients/client.ts'
import { findIntrospection } from '../../domain/grants/introspection.ts'
import type { Parameters } from '../../foundation/protocol/parameters.ts'
import { auditRefusal } from './audit-refusal.ts'
import { requireParameter } from './require-parameter.ts'

/**
 * Introspection, on older origins alone, and of a client's own tokens alone: anything else is
 * simply not active.
 *
 * @see RFC 7662 §2
 */
export async function answerIntrospectionRequest(
  request: FastifyRequest,
  form: Parameters,
): Promise<Record<string, unknown>> {
  const { at } = request
  const clientId = requireParameter(form, 'client_id')
  const secret = form.get('client_secret')
  const client = authenticateClient(await findClient(at, clientId), secret)
  const found = await auditRefusal(request, client, secret, () =>
    findIntrospection(at, clientId, requireParameter(form, 'token')),
  )
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
