import type { FastifyRequest } from 'fastify'
import type { GrantOutcome, TokenRequest } from '../../../domain/grants/grant-rule.ts'
import type { FreshTokens, IssuedPair } from '../../../domain/grants/token-pair.ts'
import type { School } from '../../../domain/schools/school.ts'
import type { Parameters } from '../../../foundation/protocol/parameters.ts'
import type { AppContext } from '../../../gate/context.ts'
import { requireParameter } from '../require-parameter.ts'

/** One way to get a pair: a file here, and an entry in the map that discovery reads as well. */
export interface GrantType {
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
 * What is undefined is not sent. Only member tokens have the last three members. `school_id` is what the row holds: a pair older than
 * the binding has none, and a refresh adds none.
 *
 * @see RFC 6749 §5.1
 */
export function tokenResponse(school: School, pair: IssuedPair, idToken?: string): TokenResponse {
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
export function readTokenRequest(request: FastifyRequest, form: Parameters): TokenRequest {
  return {
    school: request.school,
    clientId: requireParameter(form, 'client_id'),
    clientSecret: form.get('client_secret'),
    resource: form.getAll('resource'),
    requestId: request.id,
  }
}

/** Logs and metrics name the client of a request only if it is proven to be that client. */
export function grantedOrThrow<Granted>(
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
