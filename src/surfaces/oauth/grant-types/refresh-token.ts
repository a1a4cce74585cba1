import type { FastifyRequest } from 'fastify'
import { record } from '../../../domain/audit/audit.ts'
import { authenticateClient, findClient } from '../../../domain/clients/client.ts'
import { endAuthorization } from '../../../domain/grants/authorizations.ts'
import {
  findRefreshFacts,
  type RefreshFacts,
  refreshPair,
} from '../../../domain/grants/refresh-pair.ts'
import type { IssuedPair } from '../../../domain/grants/token-pair.ts'
import { mayHold } from '../../../domain/people/membership.ts'
import { sha256 } from '../../../foundation/crypto/digest.ts'
import { OAuthError } from '../../../foundation/protocol/errors.ts'
import type { Parameters } from '../../../foundation/protocol/parameters.ts'
import { bindResource } from '../../../foundation/protocol/resource.ts'
import { ScopeSet } from '../../../foundation/protocol/scope-set.ts'
import { parseToken } from '../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../gate/context.ts'
import { auditRefusal } from '../audit-refusal.ts'
import { requireParameter } from '../require-parameter.ts'
import {
  changedMeanwhile,
  type GrantType,
  namesOrigin,
  roleIsGone,
  type TokenResponse,
  tokenResponse,
} from './grant-type.ts'

/**
 * Refresh. The ordinary case is one statement that mints only if everything holds; when it minted
 * nothing, the reasons are looked up in this order:
 *
 * | step                               | section         | refusal           |
 * | ---------------------------------- | --------------- | ----------------- |
 * | the client is who it says          | RFC 6749 §3.2.1 | `invalid_client`  |
 * | nothing is missing                 | RFC 6749 §6     | `invalid_request` |
 * | the refresh token is this client's | RFC 6749 §6     | `invalid_grant`   |
 * | the resource is repeated           | RFC 8707 §2.2   | `invalid_request`, `invalid_target` |
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
  const clientId = requireParameter(form, 'client_id')
  const pair = await tryRefresh(request, clientId, form)
  if (pair === undefined) return await refuse(request, clientId, form)
  request.outcome.clientId = clientId
  return tokenResponse(request.school, pair)
}

async function tryRefresh(
  request: FastifyRequest,
  clientId: string,
  form: Parameters,
): Promise<IssuedPair | undefined> {
  const { at, school } = request
  const token = parseToken('refresh', form.get('refresh_token') ?? '')
  const secret = form.get('client_secret')
  const scope = form.get('scope')
  const scopes = scope === undefined ? undefined : namesIn(scope)
  const resource = form.getAll('resource')
  if (token === undefined || scopes?.length === 0 || !namesOrigin(resource, school))
    return undefined
  return await refreshPair(at, {
    token,
    clientId,
    secretHash: secret === undefined ? undefined : sha256(secret),
    scopes,
    resourceGiven: resource.length > 0,
    requestId: request.id,
  })
}

/** What is no scope at all is in no set that was granted, so it needs no look of its own here. */
function namesIn(scope: string): string[] {
  return [...new Set(scope.split(' ').filter((name) => name !== ''))].sort()
}

/** Goes through the checks one by one and throws the first that fails. */
async function refuse(request: FastifyRequest, clientId: string, form: Parameters): Promise<never> {
  const { at, school } = request
  const secret = form.get('client_secret')
  const client = authenticateClient(await findClient(at, clientId), secret)
  return await auditRefusal(request, client, secret, async (vouch) => {
    const token = parseToken('refresh', requireParameter(form, 'refresh_token'))
    const facts = token === undefined ? undefined : await findRefreshFacts(at, token)
    if (facts === undefined || facts.clientId !== clientId) throw unknownToken()
    vouch(facts)
    bindResource(form.getAll('resource'), school.origin, { required: facts.audience === 'member' })
    if (facts.revoked) throw await presentedAgain(request, facts)
    if (facts.expired) throw lainIdle()
    checkNotWider(form.get('scope'), facts)
    if (facts.userId === undefined) throw notBoundToUser()
    if (!mayHold(facts.audience, facts.roles)) throw roleIsGone()
    throw changedMeanwhile()
  })
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

function lainIdle(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The refresh token was not used for too long and has expired. Send the person through the authorization-code flow again.',
  )
}

/** An empty set is refused as well: a pair that may do nothing is of no use to anybody. */
function checkNotWider(scope: string | undefined, facts: RefreshFacts): void {
  if (scope === undefined) return
  const wanted = ScopeSet.parse(scope)
  if (wanted.size === 0) {
    throw new OAuthError(
      'invalid_scope',
      'scope is empty: name at least one scope, or leave it out.',
    )
  }
  const wider = wanted.minus(ScopeSet.of(facts.scopes))
  if (wider.size > 0) {
    throw new OAuthError(
      'invalid_scope',
      `A refresh can narrow the scope, never widen it: ${wider} was not granted.`,
    )
  }
}

function notBoundToUser(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The refresh token is not bound to a user. Send a person through the authorization-code flow.',
  )
}
