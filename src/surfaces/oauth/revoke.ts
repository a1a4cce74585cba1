import type { FastifyRequest } from 'fastify'
import {
  type AuthenticatedClient,
  authenticateClient,
  type Client,
  findClient,
} from '../../domain/clients/client.ts'
import { findIntrospection, type Introspection } from '../../domain/grants/introspection.ts'
import { revokePair } from '../../domain/grants/revoke-pair.ts'
import type { SchoolVariant } from '../../domain/schools/school.ts'
import { sha256 } from '../../foundation/crypto/digest.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import type { Parameters } from '../../foundation/protocol/parameters.ts'
import { auditRefusal, requireParameter } from './audit-refusal.ts'

/**
 * Revocation. `token_type_hint` is not read: our tokens have a prefix for their kind. The usual
 * case is one statement that revokes only if every condition holds; only if it revokes nothing the
 * client is read too.
 *
 * @see RFC 7009 §2
 */
export async function answerRevocationRequest(
  request: FastifyRequest,
  form: Parameters,
): Promise<void> {
  const clientId = requireParameter(form, 'client_id')
  const token = form.get('token')
  const revoke = async () =>
    token !== undefined && (await tryRevoke(request, clientId, token, form))
  if (await revoke()) {
    request.outcome.clientId = clientId
    return
  }
  const secret = form.get('client_secret')
  const found = await findClient(request.schoolDb, clientId)
  const client = authenticateRevokingClient(found, secret, request.school.variant)
  await auditRefusal(request, client, secret, async () => {
    requireParameter(form, 'token')
    // The client may have got its secret after the first try.
    await revoke()
  })
}

async function tryRevoke(
  request: FastifyRequest,
  clientId: string,
  token: string,
  form: Parameters,
): Promise<boolean> {
  const secret = form.get('client_secret')
  return await revokePair(request.schoolDb, {
    clientId,
    token,
    secretHash: secret === undefined ? undefined : sha256(secret),
    secretOptional: request.school.variant === 'older',
    requestId: request.id,
  })
}

/**
 * Credentials in the Authorization header count as no secret: the same 403, on all origins and for
 * all clients. There is no challenge, because no scheme would be accepted.
 *
 * @see RFC 7009 §2.1
 */
export function checkNoHeaderAtRevocation({ headers }: FastifyRequest): void {
  if (headers.authorization !== undefined) throw secretNotInBody()
}

/**
 * A confidential client without its secret, or with a wrong one, gets 403 here, not 401 as at the
 * token endpoint. Older origins do not require the secret, but check one that is sent. A client
 * that the school switched off may still revoke: a refresh token posted here always ends its pair.
 */
function authenticateRevokingClient(
  found: Client | undefined,
  secret: string | undefined,
  variant: SchoolVariant,
): AuthenticatedClient {
  const client = found === undefined ? undefined : { ...found, disabled: false }
  const excused = variant === 'older' && secret === undefined && client?.confidential === true
  if (excused) return client as AuthenticatedClient
  try {
    return authenticateClient(client, secret)
  } catch (error) {
    if (client?.confidential !== true || !(error instanceof OAuthError)) throw error
    throw secretNotInBody()
  }
}

function secretNotInBody(): OAuthError {
  return new OAuthError(
    'unauthorized_client',
    'A confidential application revokes with its client_secret in the form body; it is missing or wrong. An Authorization header is not accepted here.',
    { status: 403 },
  )
}

/**
 * Introspection. Only older origins have it, and a client sees only its own tokens: any other token
 * is not active. The usual case is one statement; only if it finds nothing the client is read too.
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
  return await findIntrospection(request.schoolDb, {
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
  const client = authenticateClient(await findClient(request.schoolDb, clientId), secret)
  await auditRefusal(request, client, secret, async () => requireParameter(form, 'token'))
  return { active: false }
}
