import type { FastifyRequest } from 'fastify'
import { identityClaims } from '../../../domain/access/claims.ts'
import {
  type AuthenticatedClient,
  authenticateClient,
  findClient,
} from '../../../domain/clients/client.ts'
import { type FoundCode, findCode } from '../../../domain/grants/codes.ts'
import {
  endAuthorizationOfReplayedCode,
  exchangeCode,
} from '../../../domain/grants/exchange-code.ts'
import { ID_TOKEN_SECONDS } from '../../../domain/grants/lifetimes.ts'
import { findMember, isOperator, type Member } from '../../../domain/people/membership.ts'
import type { School } from '../../../domain/schools/school.ts'
import { signWithSchoolKey } from '../../../domain/schools/signing.ts'
import { OAuthError } from '../../../foundation/protocol/errors.ts'
import type { Parameters } from '../../../foundation/protocol/parameters.ts'
import { checkCodeVerifier } from '../../../foundation/protocol/pkce.ts'
import { bindResource } from '../../../foundation/protocol/resource.ts'
import { ScopeSet } from '../../../foundation/protocol/scope-set.ts'
import type { AppContext } from '../../../gate/context.ts'
import { auditRefusal } from '../audit-refusal.ts'
import { requireParameter } from '../require-parameter.ts'
import { type GrantType, type TokenResponse, tokenResponse } from './grant-type.ts'

/**
 * The code exchange. Possession is proven before single use is enforced: only somebody who holds the
 * verifier can sound the replay alarm, and a refused try leaves the code as it was.
 *
 * | step                            | section          | refusal           |
 * | ------------------------------- | ---------------- | ----------------- |
 * | the client is who it says       | RFC 6749 §3.2.1  | `invalid_client`  |
 * | the code is this client's       | RFC 6749 §4.1.3  | `invalid_grant`   |
 * | the redirect URI is repeated    | RFC 6749 §4.1.3  | `invalid_grant`   |
 * | the verifier fits the challenge | RFC 7636 §4.6    | `invalid_grant`   |
 * | the resource is repeated        | RFC 8707 §2.2    | `invalid_target`  |
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
  const { at, school } = request
  const clientId = requireParameter(form, 'client_id')
  const client = authenticateClient(await findClient(at, clientId), form.get('client_secret'))
  return await auditRefusal(request, 'token.refused', client, async () => {
    const presented = requireParameter(form, 'code')
    const redirectUri = requireParameter(form, 'redirect_uri')
    const verifier = requireParameter(form, 'code_verifier')
    const resource = form.getAll('resource')
    const code = checkCode(await findCode(at, presented), client)
    checkRedirectUri(redirectUri, code)
    checkCodeVerifier(verifier, code.codeChallenge)
    bindResource(resource, school.origin, { required: client.audience === 'member' })
    await checkUnused(request, code)
    const member = checkMember(await findMember(at, code.userId), code)
    const pair = await exchangeCode(at, code, request.id)
    if (pair === undefined) throw await lostRace(request, code)
    const answer = tokenResponse(school, pair, code.audience === 'member')
    const idToken = signIdToken(context, school, code, member, pair.issuedAt)
    return idToken === undefined ? answer : { ...answer, id_token: idToken }
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
  if (code.pairId !== undefined) throw await replayed(request, code)
  if (code.expired) {
    throw new OAuthError(
      'invalid_grant',
      'The code has expired: exchange it within five minutes. Start again at the authorization endpoint.',
    )
  }
}

function checkMember(member: Member | undefined, code: FoundCode): Member {
  const allowed =
    member !== undefined &&
    member.roles.length > 0 &&
    (code.audience === 'member' || isOperator(member.roles))
  if (!allowed) {
    throw new OAuthError(
      'invalid_grant',
      'The person who authorized this no longer holds the role it needs at this school.',
    )
  }
  return member
}

/** Nothing was minted although the code was fresh when read: somebody else was faster, or time ran out. */
async function lostRace(request: FastifyRequest, code: FoundCode): Promise<OAuthError> {
  return await replayed(request, code)
}

async function replayed(request: FastifyRequest, code: FoundCode): Promise<OAuthError> {
  await endAuthorizationOfReplayedCode(request.at, code, request.id)
  return new OAuthError(
    'invalid_grant',
    'The code was used before. What it gave has been revoked, because one of the two uses may not be yours. Start again at the authorization endpoint.',
  )
}

/**
 * @see OpenID Connect Core 1.0 §2 and §3.1.3.3
 */
function signIdToken(
  context: AppContext,
  school: School,
  code: FoundCode,
  member: Member,
  issuedAt: Date,
): string | undefined {
  const scopes = ScopeSet.of(code.scopes)
  if (!scopes.has('openid')) return undefined
  const now = Math.floor(issuedAt.getTime() / 1000)
  return signWithSchoolKey(school, context.keyring, {
    iss: school.origin,
    aud: code.clientId,
    exp: now + ID_TOKEN_SECONDS,
    iat: now,
    auth_time: Math.floor(code.authenticatedAt.getTime() / 1000),
    ...(code.nonce === undefined ? {} : { nonce: code.nonce }),
    ...identityClaims(school, member.person, member.roles, scopes),
  })
}
