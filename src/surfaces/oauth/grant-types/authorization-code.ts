import type { FastifyRequest } from 'fastify'
import { identityClaims, namesPerson } from '../../../domain/grants/claims.ts'
import { noteActivity } from '../../../domain/grants/count-activity.ts'
import { type ExchangedCode, exchangeCode } from '../../../domain/grants/exchange-code.ts'
import { ID_TOKEN_SECONDS } from '../../../domain/grants/token-pair.ts'
import type { AuthenticationContext } from '../../../domain/people/authentication-context.ts'
import type { School } from '../../../domain/schools/school.ts'
import { findSigner, UnreadableKeyError } from '../../../domain/schools/signing.ts'
import type { Parameters } from '../../../foundation/protocol/parameters.ts'
import { ScopeSet } from '../../../foundation/protocol/scope-set.ts'
import type { AppContext } from '../../../gate/context.ts'
import {
  type Granted,
  type GrantType,
  grantedOrThrow,
  readTokenRequest,
  tokenResponse,
} from './grant-type.ts'

/**
 * The code exchange. Its rules, sections and refusals are in `domain/grants/exchange-rules.ts`.
 *
 * @see RFC 6749 §4.1.3
 */
export const authorizationCodeGrant: GrantType = { name: 'authorization_code', handle }

async function handle(
  context: AppContext,
  request: FastifyRequest,
  form: Parameters,
): Promise<Granted> {
  const { school } = request
  const asked = readTokenRequest(request, form)
  const outcome = await exchangeCode(request.at, {
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
    noteActivity(request.at, exchanged, 'profile', 'read')
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
