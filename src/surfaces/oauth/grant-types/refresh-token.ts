import type { FastifyRequest } from 'fastify'
import { record } from '../../../domain/audit/audit.ts'
import { authenticateClient, findClient } from '../../../domain/clients/client.ts'
import { endAuthorization } from '../../../domain/grants/authorizations.ts'
import {
  findRefreshFacts,
  type RefreshFacts,
  refreshPair,
} from '../../../domain/grants/refresh-pair.ts'
import { sha256 } from '../../../foundation/crypto/digest.ts'
import { OAuthError } from '../../../foundation/protocol/errors.ts'
import type { Parameters } from '../../../foundation/protocol/parameters.ts'
import { bindResource } from '../../../foundation/protocol/resource.ts'
import { ScopeSet } from '../../../foundation/protocol/scope-set.ts'
import { parseToken } from '../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../gate/context.ts'
import { auditRefusal } from '../audit-refusal.ts'
import { requireParameter } from '../require-parameter.ts'
import { type GrantType, type TokenResponse, tokenResponse } from './grant-type.ts'

/**
 * Refresh. The ordinary case is one statement that mints only if everything holds; when it minted
 * nothing, the reasons are looked up in this order:
 *
 * | step                               | section         | refusal           |
 * | ---------------------------------- | --------------- | ----------------- |
 * | the client is who it says          | RFC 6749 §3.2.1 | `invalid_client`  |
 * | the resource is repeated           | RFC 8707 §2.2   | `invalid_request` |
 * | the refresh token is this client's | RFC 6749 §6     | `invalid_grant`   |
 * | it is neither revoked nor expired  | RFC 6749 §6     | `invalid_grant`   |
 * | the scope is no wider              | RFC 6749 §6     | `invalid_scope`   |
 * | the person still belongs here      |                 | `invalid_grant`   |
 *
 * There is no ID token in the answer, whatever the scope.
 */
export const refreshTokenGrant: GrantType = { name: 'refresh_token', handle }

async function handle(
  _context: AppContext,
  request: FastifyRequest,
  form: Parameters,
): Promise<TokenResponse> {
  const { at, school } = request
  const clientId = requireParameter(form, 'client_id')
  const secret = form.get('client_secret')
  const resource = form.getAll('resource')
  const scope = form.get('scope')
  const presented = requireParameter(form, 'refresh_token')
  const token = parseToken('refresh', presented)
  if (token !== undefined && resource.every((value) => isBound(value, school.origin))) {
    const pair = await refreshPair(at, {
      token,
      clientId,
      secretHash: secret === undefined ? undefined : sha256(secret),
      scopes: scope === undefined ? undefined : ScopeSet.parse(scope).toArray(),
      resourceGiven: resource.length > 0,
      requestId: request.id,
    })
    if (pair !== undefined) return tokenResponse(school, pair, pair.audience === 'member')
  }
  const client = authenticateClient(await findClient(at, clientId), secret)
  return await auditRefusal(request, 'token.refused', client, async () => {
    bindResource(resource, school.origin, { required: client.audience === 'member' })
    const facts = token === undefined ? undefined : await findRefreshFacts(at, token)
    if (facts === undefined || facts.clientId !== clientId) throw unknownToken()
    if (facts.revoked) throw await presentedAgain(request, facts)
    throw whyRefused(facts, scope)
  })
}

function isBound(value: string, origin: string): boolean {
  try {
    bindResource([value], origin, { required: true })
    return true
  } catch {
    return false
  }
}

function unknownToken(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The refresh token is not known for this client: it is malformed, was issued to another client or at another origin, or is long gone. Send the person through the authorization-code flow again.',
  )
}

/**
 * A retired refresh token is refused and noted, and nothing else is revoked: clients that lost an
 * answer or share one stored token would otherwise be signed out for it. A school may choose the
 * stricter way.
 *
 * @see RFC 9700 §4.14.2
 */
async function presentedAgain(request: FastifyRequest, facts: RefreshFacts): Promise<OAuthError> {
  await record(request.at, {
    action: 'token.replayed',
    outcome: 'invalid_grant',
    clientId: facts.clientId,
    actorUserId: facts.userId,
    authorizationId: facts.authorizationId,
    requestId: request.id,
  })
  if (request.school.endAuthorizationOnReplay) {
    await endAuthorization(request.at, facts.authorizationId)
  }
  return new OAuthError(
    'invalid_grant',
    'The refresh token was revoked, or replaced by a newer one whose access token is already in use. Use the newest refresh token, or send the person through the authorization-code flow again.',
  )
}

function whyRefused(facts: RefreshFacts, scope: string | undefined): OAuthError {
  if (facts.expired) {
    return new OAuthError(
      'invalid_grant',
      'The refresh token was not used for too long and has expired. Send the person through the authorization-code flow again.',
    )
  }
  if (scope !== undefined) {
    const wider = ScopeSet.parse(scope).minus(ScopeSet.of(facts.scopes))
    if (wider.size > 0) {
      return new OAuthError(
        'invalid_scope',
        `A refresh can narrow the scope, never widen it: ${wider} was not granted.`,
      )
    }
  }
  return new OAuthError(
    'invalid_grant',
    'The person who authorized this no longer holds the role it needs at this school.',
  )
}
