import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { isWellFormed } from '../../foundation/protocol/token-format.ts'
import { recordOnceAnHour } from '../audit/repeated-entries.ts'
import { endAuthorization, isNotEnded } from './authorizations.ts'
import type { GrantFacts, Rulebook, TokenRequest, TokenRequestValues } from './grant-rule.ts'
import {
  applicationHoldsSome,
  clientIsKnown,
  clientIsOn,
  parameterIsSent,
  personAndRoles,
  personHoldsRole,
  refusalOf,
  requestAndClient,
  resourceIsSent,
  resourceIsThisOrigin,
  secretMatches,
} from './token-request-rules.ts'

export interface RefreshRequest extends TokenRequest {
  readonly refreshToken: string | undefined
  readonly scope: string | undefined
}

/** Null if the token does not have our format, or if no scope was sent. */
export interface RefreshValues extends TokenRequestValues {
  readonly tokenId: string | null
  readonly tokenHash: Buffer | null
  readonly scopes: readonly string[] | null
}

export interface RefreshFacts extends GrantFacts {
  readonly authorizationId: string | null
  /** What the person authorized. */
  readonly scopes: readonly string[] | null
}

/** A malformed token, another client's and another school's get the same answer. */
const unknownToken = () =>
  new OAuthError(
    'invalid_grant',
    'The refresh token is not known for this client: it is malformed, was issued to another client or at another origin, or is long gone. Send the person through the authorization-code flow again.',
  )

/**
 * The rules of a refresh. Refusals reveal nothing about a token unless it belongs to this client. A
 * refresh token stands for all that was authorized, whatever an earlier refresh asked for.
 *
 * @see RFC 6749 §6
 */
export const REFRESH_RULEBOOK: Rulebook<RefreshRequest, RefreshValues, RefreshFacts> = {
  rows: (given) => sql`
    ${requestAndClient(given)}
    left join token_pairs p on p.id = ${given.tokenId}
    left join authorizations g on g.id = p.authorization_id
    ${personAndRoles}`,
  facts: sql`g.user_id as "userId", g.id as "authorizationId", g.scopes`,
  rules: [
    clientIsKnown,
    secretMatches,
    clientIsOn,
    parameterIsSent('refresh_token', ({ refreshToken }) => refreshToken, 'RFC 6749 §6'),
    {
      name: 'the refresh token has the form of ours',
      section: 'RFC 6749 §6',
      refuse: ({ refreshToken }) =>
        isWellFormed('refresh', refreshToken ?? '') ? undefined : unknownToken(),
      audit: 'client',
    },
    {
      name: 'the refresh token was issued to this client at this school',
      section: 'RFC 6749 §6',
      holds: ({ tokenHash, schoolId, clientId }) => sql`p.refresh_hash = ${tokenHash}
        and g.school_id = ${schoolId} and g.client_id = ${clientId}`,
      refusal: unknownToken,
      audit: 'client',
    },
    resourceIsSent,
    resourceIsThisOrigin,
    {
      name: 'neither the pair nor its authorization is revoked',
      section: 'RFC 9700 §4.14.2',
      holds: () => sql`p.revoked_at is null and ${isNotEnded('g', 'c')}`,
      refusal: refreshTokenReplayed,
      audit: 'client and person',
      alarm: noteReplayedRefreshToken,
    },
    {
      name: 'the refresh token has not expired',
      section: 'RFC 6749 §6',
      holds: () => sql`p.refresh_expires_at > now()`,
      refusal: refreshTokenExpired,
      audit: 'client and person',
    },
    {
      name: 'the scope names at least one scope, if it is sent',
      section: 'RFC 6749 §3.3',
      refuse: ({ scope }) => refusalOf(() => checkNotEmpty(scope)),
      audit: 'client and person',
    },
    {
      name: 'the scope is no wider than what was granted',
      section: 'RFC 6749 §6',
      holds: ({ scopes }) => sql`${scopes}::text[] is null or ${scopes}::text[] <@ g.scopes`,
      refusal: wider,
      audit: 'client and person',
    },
    applicationHoldsSome,
    {
      name: 'the application still holds a scope that is asked for',
      section: 'RFC 6749 §5.2',
      holds: ({ scopes }) => sql`${scopes}::text[] is null or ${scopes}::text[] && c.scopes`,
      refusal: lost,
      audit: 'client and person',
    },
    {
      name: 'the authorization is bound to a person',
      section: 'RFC 6749 §6',
      holds: () => sql`g.user_id is not null`,
      refusal: notBoundToUser,
      audit: 'client and person',
    },
    personHoldsRole,
  ],
}

function refreshTokenReplayed(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The refresh token was revoked, or replaced by a newer one whose access token is already in use. Use the newest refresh token, or send the person through the authorization-code flow again.',
  )
}

function refreshTokenExpired(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The refresh token was not used for too long and has expired. Send the person through the authorization-code flow again.',
  )
}

/** An empty set is refused too: no client can use a pair without scopes. */
function checkNotEmpty(scope: string | undefined): void {
  if (scope !== undefined && ScopeSet.parse(scope).size === 0) {
    throw new OAuthError(
      'invalid_scope',
      'scope is empty: name at least one scope besides offline_access, or leave it out.',
    )
  }
}

function wider({ scope }: RefreshRequest, { scopes }: RefreshFacts): OAuthError {
  const surplus = ScopeSet.parse(scope ?? '').minus(ScopeSet.of(scopes ?? []))
  return new OAuthError(
    'invalid_scope',
    `A refresh can narrow the scope, never widen it: ${surplus} was not granted.`,
  )
}

/** Not invalid_grant, at which clients delete a refresh token that still gives other scopes. */
function lost({ scope }: RefreshRequest): OAuthError {
  return new OAuthError(
    'invalid_scope',
    `The school took ${ScopeSet.parse(scope ?? '')} away from the application. Leave scope out to get what is left.`,
  )
}

function notBoundToUser(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The refresh token is not bound to a user. Send a person through the authorization-code flow.',
  )
}

/**
 * Records that a revoked refresh token was presented again. Nothing else is revoked: that would
 * sign out clients that lost an answer or share one stored token. A school may choose the stricter
 * way.
 *
 * @see RFC 9700 §4.14.2
 */
async function noteReplayedRefreshToken(
  db: SchoolDb,
  { school, clientId, requestId }: TokenRequest,
  { userId, authorizationId }: GrantFacts,
): Promise<void> {
  await recordOnceAnHour(db, {
    action: 'token.replayed',
    outcome: 'invalid_grant',
    clientId,
    actorUserId: userId ?? undefined,
    authorizationId: authorizationId ?? undefined,
    requestId,
  })
  if (school.endAuthorizationOnReplay && authorizationId) {
    await endAuthorization(db, authorizationId)
  }
}
