import type { FastifyRequest } from 'fastify'
import type { IssuedPair } from '../../../domain/grants/token-pair.ts'
import type { School } from '../../../domain/schools/school.ts'
import { OAuthError } from '../../../foundation/protocol/errors.ts'
import type { Parameters } from '../../../foundation/protocol/parameters.ts'
import { bindResource } from '../../../foundation/protocol/resource.ts'
import type { AppContext } from '../../../gate/context.ts'

/** One way to get a pair: a file here, and an entry in the map that discovery reads as well. */
export interface GrantType {
  readonly name: string
  handle(context: AppContext, request: FastifyRequest, form: Parameters): Promise<TokenResponse>
}

export interface TokenResponse {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
  readonly id_token?: string
  readonly school_id?: string
  readonly school_subdomain?: string
  readonly created_at?: number
}

/**
 * The last three members are for member tokens alone, and `school_id` is what the record holds: a
 * pair older than the binding has none, and a refresh does not invent one.
 *
 * @see RFC 6749 §5.1
 */
export function tokenResponse(school: School, pair: IssuedPair): TokenResponse {
  return {
    access_token: pair.accessToken,
    token_type: 'Bearer',
    expires_in: pair.expiresInSeconds,
    refresh_token: pair.refreshToken,
    scope: pair.scopes.join(' '),
    ...(pair.audience === 'member'
      ? {
          ...(pair.boundSchoolId === undefined ? {} : { school_id: pair.boundSchoolId }),
          school_subdomain: school.subdomain,
          created_at: Math.floor(pair.issuedAt.getTime() / 1000),
        }
      : {}),
  }
}

/** Whether every `resource` that was sent, if any, is this school's origin. */
export function namesOrigin(resource: readonly string[], school: School): boolean {
  try {
    bindResource(resource, school.origin, { required: false })
    return true
  } catch {
    return false
  }
}

export function roleIsGone(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The person who authorized this no longer holds the role it needs at this school.',
  )
}

/** Refused a moment ago, and now there is no reason left: something changed between the two looks. */
export function changedMeanwhile(): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    'Something about this grant changed at this very moment. Send the same request again.',
    { retryAfter: 1 },
  )
}
