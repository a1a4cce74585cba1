import type { FastifyRequest } from 'fastify'
import { identityClaims, namesPerson } from '../../domain/grants/claims.ts'
import { noteActivity } from '../../domain/grants/count-activity.ts'
import { type ExchangedCode, exchangeCode } from '../../domain/grants/exchange-code.ts'
import type { GrantOutcome, TokenRequest } from '../../domain/grants/grant-rule.ts'
import { refreshPair } from '../../domain/grants/refresh-pair.ts'
import {
  type FreshTokens,
  ID_TOKEN_SECONDS,
  type IssuedPair,
} from '../../domain/grants/token-pair.ts'
import type { AuthenticationContext } from '../../domain/people/authentication-context.ts'
import type { School } from '../../domain/schools/school.ts'
import { findSigner, UnreadableKeyError } from '../../domain/schools/signing.ts'
import type { Parameters } from '../../foundation/protocol/parameters.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import type { AppContext } from '../../gate/context.ts'
import { requireParameter } from './audit-refusal.ts'

/**
 * The code exchange. Its rules, sections and refusals are in `domain/grants/exchange-rules.ts`.
 *
 * @see RFC 6749 §4.1.3
 */
const authorizationCodeGrant: GrantType = { name: 'authorization_code', handle: handleCode }

async function handleCode(
  context: AppContext,
  request: FastifyRequest,
  form: Parameters,
): Promise<Granted> {
  const { school } = request
  const asked = readTokenRequest(request, form)
  const outcome = await exchangeCode(request.schoolDb, {
    code: form.get('code'),
    redirectUri: form.get('redirect_uri'),
    codeVerifier: form.get('code_verifier'),
    ...asked,
  })
  const exchanged = grantedOrThrow(request, asked, outcome)
  const { pair, member } = exchanged
  const scopes = ScopeSet.recall(pair.scope)
  const sign = scopes.has('openid') ? signerOf(context, request) : undefined
  const claims = identityClaims(school, member.person, member.roles, scopes)
  const idToken = sign?.({ ...tokenClaims(school, asked.clientId, exchanged), ...claims })
  // The app reads the name in the token, without a request that would be counted.
  if (idToken !== undefined && namesPerson(claims)) {
    noteActivity(request.schoolDb, exchanged, 'profile', 'read')
  }
  return { tokens: pair.tokens, response: tokenResponse(school, pair, idToken) }
}

/** A key that cannot be decrypted stops the ID tokens of its school, and nothing else. */
function signerOf({ keyring }: AppContext, { school, log }: FastifyRequest) {
  try {
    return findSigner(school, keyring)
  } catch (error) {
    if (!(error instanceof UnreadableKeyError)) throw error
    log.error({ err: error }, 'no ID token: publish and activate another key at this school')
    return undefined
  }
}

/** A client must not read an empty list as proof of anything. */
function contextClaims({ acr, amr }: AuthenticationContext): Record<string, unknown> {
  return { acr, ...(amr.length === 0 ? {} : { amr }) }
}

/**
 * What the ID token says beside the claims about the person.
 *
 * @see OpenID Connect Core 1.0 §2 and §3.1.3.3
 */
function tokenClaims(
  school: School,
  clientId: string,
  { pair, nonce, authenticatedAt, context }: ExchangedCode,
): Record<string, unknown> {
  return {
    iss: school.origin,
    aud: clientId,
    exp: pair.issuedAt + ID_TOKEN_SECONDS,
    iat: pair.issuedAt,
    auth_time: Math.floor(authenticatedAt.getTime() / 1000),
    ...(nonce === undefined ? {} : { nonce }),
    ...(context === undefined ? {} : contextClaims(context)),
  }
}

/**
 * Refresh. Its rules, sections and refusals are in `domain/grants/refresh-rules.ts`. The answer has
 * no ID token, whatever the scope.
 *
 * @see RFC 6749 §6
 */
const refreshTokenGrant: GrantType = { name: 'refresh_token', handle: handleRefresh }

async function handleRefresh(
  _context: AppContext,
  request: FastifyRequest,
  form: Parameters,
): Promise<Granted> {
  const asked = readTokenRequest(request, form)
  const outcome = await refreshPair(request.schoolDb, {
    refreshToken: form.get('refresh_token'),
    scope: form.get('scope'),
    ...asked,
  })
  const pair = grantedOrThrow(request, asked, outcome)
  return { tokens: pair.tokens, response: tokenResponse(request.school, pair) }
}

/** Everything the token endpoint can do; discovery lists exactly these. */
export const grantTypes: ReadonlyMap<string, GrantType> = new Map(
  [authorizationCodeGrant, refreshTokenGrant].map((grant) => [grant.name, grant]),
)

/** One way to get a pair: a file here, and an entry in the map that discovery reads as well. */
interface GrantType {
  readonly name: string
  handle(context: AppContext, request: FastifyRequest, form: Parameters): Promise<Granted>
}

/** What was granted, and how the client is told. */
export interface Granted {
  readonly tokens: FreshTokens
  readonly response: TokenResponse
}

export interface TokenResponse {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
  readonly id_token: string | undefined
  readonly school_id: string | undefined
  readonly school_subdomain: string | undefined
  readonly created_at: number | undefined
}

/**
 * What is undefined is not sent. Only member tokens have the last three members. `school_id` is
 * what the row holds: a pair older than the binding has none, and a refresh adds none.
 *
 * @see RFC 6749 §5.1
 */
function tokenResponse(school: School, pair: IssuedPair, idToken?: string): TokenResponse {
  const isMember = pair.audience === 'member'
  return {
    access_token: pair.tokens.access.value,
    token_type: 'Bearer',
    expires_in: pair.expiresInSeconds,
    refresh_token: pair.tokens.refresh.value,
    scope: pair.scope,
    id_token: idToken,
    school_id: isMember ? pair.boundSchoolId : undefined,
    school_subdomain: isMember ? school.subdomain : undefined,
    created_at: isMember ? pair.issuedAt : undefined,
  }
}

/** The parameters that both grant types have. */
function readTokenRequest(request: FastifyRequest, form: Parameters): TokenRequest {
  return {
    school: request.school,
    clientId: requireParameter(form, 'client_id'),
    clientSecret: form.get('client_secret'),
    resource: form.getAll('resource'),
    requestId: request.id,
  }
}

/** Logs and metrics name the client of a request only if it is proven to be that client. */
function grantedOrThrow<Granted>(
  request: FastifyRequest,
  { clientId }: TokenRequest,
  outcome: GrantOutcome<Granted>,
): Granted {
  if (outcome.kind === 'granted') {
    request.outcome.clientId = clientId
    return outcome.granted
  }
  if (outcome.clientAuthenticated) request.outcome.clientId = clientId
  throw outcome.error
}
