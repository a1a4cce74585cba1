import type { FastifyRequest } from 'fastify'
import { identityClaims } from '../../../domain/access/claims.ts'
import {
  type AuthenticatedClient,
  authenticateClient,
  findClient,
} from '../../../domain/clients/client.ts'
import { type FoundCode, findCode } from '../../../domain/grants/codes.ts'
import { type ExchangedCode, exchangeCode } from '../../../domain/grants/exchange-code.ts'
import { ID_TOKEN_SECONDS } from '../../../domain/grants/lifetimes.ts'
import { endAuthorizationOfReplayedCode } from '../../../domain/grants/replayed-code.ts'
import { findMember, mayHold } from '../../../domain/people/membership.ts'
import type { School } from '../../../domain/schools/school.ts'
import { findSigner } from '../../../domain/schools/signing.ts'
import { sha256 } from '../../../foundation/crypto/digest.ts'
import { OAuthError } from '../../../foundation/protocol/errors.ts'
import type { Parameters } from '../../../foundation/protocol/parameters.ts'
import { challengeOf, checkCodeVerifier } from '../../../foundation/protocol/pkce.ts'
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
 * The code exchange. The ordinary case is one statement that mints only if everything holds; when it
 * minted nothing, the reasons are looked up in this order. Possession comes before single use: only
 * somebody who holds the verifier can sound the replay alarm.
 *
 * | step                            | section          | refusal           |
 * | ------------------------------- | ---------------- | ----------------- |
 * | the client is who it says       | RFC 6749 §3.2.1  | `invalid_client`  |
 * | nothing is missing              | RFC 6749 §4.1.3  | `invalid_request` |
 * | the code is this client's       | RFC 6749 §4.1.3  | `invalid_grant`   |
 * | the redirect URI is repeated    | RFC 6749 §4.1.3  | `invalid_grant`   |
 * | the verifier fits the challenge | RFC 7636 §4.6    | `invalid_grant`   |
 * | the resource is repeated        | RFC 8707 §2.2    | `invalid_request`, `invalid_target` |
 * | the code was not used           | RFC 6749 §4.1.2  | `invalid_grant`   |
 * | the code has not expired        | RFC 6749 §4.1.2  | `invalid_grant`   |
 * | the person still belongs here   |                  | `invalid_grant`   |
 *
 * `scope` is not read: §4.1.3 defines none, the consent decided it.
 */
export const authorizationCodeGrant: GrantType = { name: 'authorization_code', handle }

async function handle(
  context: AppContext,
  request: FastifyRequest,
  form: Parameters,
): Promise<TokenResponse> {
  const { school } = request
  const clientId = requireParameter(form, 'client_id')
  const sign = findSigner(school, context.keyring)
  const exchanged = await tryExchange(request, clientId, form)
  if (exchanged === undefined) return await refuse(request, clientId, form)
  request.outcome.clientId = clientId
  const answer = tokenResponse(school, exchanged.pair)
  if (sign === undefined || !exchanged.pair.scopes.includes('openid')) return answer
  return { ...answer, id_token: sign(idTokenClaims(school, clientId, exchanged)) }
}

async function tryExchange(
  request: FastifyRequest,
  clientId: string,
  form: Parameters,
): Promise<ExchangedCode | undefined> {
  const { at, school } = request
  const code = parseToken('code', form.get('code') ?? '')
  const redirectUri = form.get('redirect_uri')
  const codeChallenge = challengeOf(form.get('code_verifier') ?? '')
  const secret = form.get('client_secret')
  const resource = form.getAll('resource')
  if (code === undefined || redirectUri === undefined || codeChallenge === undefined)
    return undefined
  if (!namesOrigin(resource, school)) return undefined
  return await exchangeCode(at, {
    code,
    clientId,
    secretHash: secret === undefined ? undefined : sha256(secret),
    redirectUri,
    codeChallenge,
    resourceGiven: resource.length > 0,
    requestId: request.id,
  })
}

/** Goes through the checks one by one and throws the first that fails. */
async function refuse(request: FastifyRequest, clientId: string, form: Parameters): Promise<never> {
  const { at, school } = request
  const secret = form.get('client_secret')
  const client = authenticateClient(await findClient(at, clientId), secret)
  return await auditRefusal(request, client, secret, async (vouch) => {
    const presented = requireParameter(form, 'code')
    const redirectUri = requireParameter(form, 'redirect_uri')
    const verifier = requireParameter(form, 'code_verifier')
    const code = checkCode(await findCode(at, presented), client)
    vouch({ userId: code.userId })
    checkRedirectUri(redirectUri, code)
    checkCodeVerifier(verifier, code.codeChallenge)
    bindResource(form.getAll('resource'), school.origin, { required: code.audience === 'member' })
    await checkUnused(request, code)
    const member = await findMember(at, code.userId)
    if (member === undefined || !mayHold(code.audience, member.roles)) throw roleIsGone()
    throw changedMeanwhile()
  })
}

/** An unknown code, another school's and another client's are one and the same to the caller. */
function checkCode(code: FoundCode | undefined, client: AuthenticatedClient): FoundCode {
  if (code === undefined || code.clientId !== client.clientId) {
    throw new OAuthError(
      'invalid_grant',
      'The code is not known for this client: it is malformed, was issued to another client or at another origin, or is long gone. Start again at the authorization endpoint.',
    )
  }
  return code
}

function checkRedirectUri(presented: string, code: FoundCode): void {
  if (presented !== code.redirectUri) {
    throw new OAuthError(
      'invalid_grant',
      'redirect_uri must be the very string of the authorization request.',
    )
  }
}

async function checkUnused(request: FastifyRequest, code: FoundCode): Promise<void> {
  if (code.pairId !== undefined) {
    await endAuthorizationOfReplayedCode(request.at, code, request.id)
    throw new OAuthError(
      'invalid_grant',
      'The code was used before. What it gave has been revoked, because one of the two uses may not be yours. Start again at the authorization endpoint.',
    )
  }
  if (code.expired) {
    throw new OAuthError(
      'invalid_grant',
      'The code has expired: exchange it within five minutes. Start again at the authorization endpoint.',
    )
  }
}

/** @see OpenID Connect Core 1.0 §2 and §3.1.3.3 */
function idTokenClaims(
  school: School,
  clientId: string,
  { pair, member, nonce, authenticatedAt }: ExchangedCode,
): Record<string, unknown> {
  const now = Math.floor(pair.issuedAt.getTime() / 1000)
  return {
    iss: school.origin,
    aud: clientId,
    exp: now + ID_TOKEN_SECONDS,
    iat: now,
    auth_time: Math.floor(authenticatedAt.getTime() / 1000),
    ...(nonce === undefined ? {} : { nonce }),
    ...identityClaims(school, member.person, member.roles, ScopeSet.of(pair.scopes)),
  }
}
