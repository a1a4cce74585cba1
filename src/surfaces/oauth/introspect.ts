import type { FastifyRequest } from 'fastify'
import { authenticateClient, findClient } from '../../domain/clients/client.ts'
import { findIntrospection, type Introspection } from '../../domain/grants/introspection.ts'
import { sha256 } from '../../foundation/crypto/digest.ts'
import type { Parameters } from '../../foundation/protocol/parameters.ts'
import { auditRefusal } from './audit-refusal.ts'
import { requireParameter } from './require-parameter.ts'

/**
 * Introspection. Only older origins have it, and a client sees only its own tokens: any other token is
 * not active. The usual case is one statement; only if it finds nothing the client is read too.
 *
 * @see RFC 7662 §2
 */
export async function answerIntrospectionRequest(
  request: FastifyRequest,
  form: Parameters,
): Promise<Record<string, unknown>> {
  const clientId = requireParameter(form, 'client_id')
  const found = await findActive(request, clientId, form)
  if (found === undefined) return await refuse(request, clientId, form)
  request.outcome.clientId = clientId
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

async function findActive(
  request: FastifyRequest,
  clientId: string,
  form: Parameters,
): Promise<Introspection | undefined> {
  const token = form.get('token')
  const secret = form.get('client_secret')
  if (token === undefined) return undefined
  return await findIntrospection(request.at, {
    clientId,
    secretHash: secret === undefined ? undefined : sha256(secret),
    token,
  })
}

/** No active token was found. Only a client that authenticates is told so. */
async function refuse(
  request: FastifyRequest,
  clientId: string,
  form: Parameters,
): Promise<Record<string, unknown>> {
  const secret = form.get('client_secret')
  const client = authenticateClient(await findClient(request.at, clientId), secret)
  await auditRefusal(request, client, secret, async () => requireParameter(form, 'token'))
  return { active: false }
}
