import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'
import type { TokenFingerprint } from '../../foundation/protocol/token-format.ts'
import { auditInsert } from '../audit/audit.ts'
import type { Audience } from '../clients/scope-catalogue.ts'
import type { Member, Role } from '../people/membership.ts'
import { ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_IDLE_DAYS } from './lifetimes.ts'
import { freshTokens, type IssuedPair } from './token-pair.ts'

export interface ExchangeRequest {
  readonly code: TokenFingerprint
  readonly clientId: string
  /** SHA-256 of the secret that was sent, or undefined if none was. */
  readonly secretHash: Buffer | undefined
  readonly redirectUri: string
  /** The challenge that the presented verifier answers. */
  readonly codeChallenge: string
  /** Whether the request named this origin as its resource. */
  readonly resourceGiven: boolean
  readonly requestId: string | undefined
}

/** The pair, and what an ID token says besides. */
export interface ExchangedCode {
  readonly pair: IssuedPair
  readonly member: Member
  readonly nonce: string | undefined
  readonly authenticatedAt: Date
}

interface ExchangedRow {
  audience: Audience
  scopes: string[]
  nonce: string | null
  authenticated_at: Date
  user_id: string
  email: string
  name: string
  avatar_url: string | null
  roles: Role[]
  issued_at: Date
}

/**
 * Consumes a code and mints its authorization and first pair, in one statement that does so only if
 * everything holds: of any number of racing exchanges exactly one gets a pair. Undefined means
 * refused; the code is then as it was, and `findCode` tells why.
 *
 * May run twice: a try that committed although its answer was lost is recognised by the pair id it
 * had chosen, and not taken for a replay.
 *
 * @see RFC 6749 §4.1.2 and §10.5
 */
export async function exchangeCode(
  at: SchoolDb,
  request: ExchangeRequest,
): Promise<ExchangedCode | undefined> {
  const tokens = freshTokens()
  const authorizationId = uuidv7()
  const { code } = request
  const audit = auditInsert(
    at.schoolId,
    {
      action: 'token.issued',
      outcome: 'ok',
      clientId: request.clientId,
      authorizationId,
      requestId: request.requestId,
    },
    sql`exists (select from minted)`,
    { actorUserId: sql`(select user_id from presented)` },
  )
  const statement = sql<ExchangedRow>`
    with presented as (
      select k.id, k.audience, k.scopes, k.nonce, k.authenticated_at,
        u.id as user_id, u.email, u.name, u.avatar_url, m.roles
      from authorization_codes k
        join clients c on c.school_id = k.school_id and c.client_id = k.client_id
        join school_members m on m.school_id = k.school_id and m.user_id = k.user_id
        join users u on u.id = k.user_id and u.deleted_at is null
      where k.id = ${code.id} and k.hash = ${code.hash}
        and k.school_id = ${at.schoolId} and k.client_id = ${request.clientId}
        and k.redirect_uri = ${request.redirectUri} and k.code_challenge = ${request.codeChallenge}
        and (k.consumed_at is null and k.expires_at > now() or k.pair_id = ${tokens.pairId})
        and c.disabled_at is null and c.deleted_at is null
        and c.secret_hash is not distinct from ${request.secretHash ?? null}
        and (k.audience = 'operator' or ${request.resourceGiven})
        and (k.audience = 'member' and m.roles <> '{}' or m.roles && array['owner', 'admin'])),
    consumed as (
      update authorization_codes k set consumed_at = now(), pair_id = ${tokens.pairId}
      from presented where k.id = presented.id and k.consumed_at is null
      returning k.id, k.school_id, k.client_id, k.user_id, k.audience, k.scopes, k.resource, k.device),
    opened as (
      insert into authorizations (id, school_id, client_id, user_id, audience, scopes, resource, code_id, device)
      select ${authorizationId}, school_id, client_id, user_id, audience, scopes, resource, id, device
      from consumed returning id, school_id, audience, scopes),
    minted as (
      insert into token_pairs (id, authorization_id, bound_school_id, scopes, access_hash, refresh_hash,
        access_expires_at, refresh_expires_at)
      select ${tokens.pairId}, id, case when audience = 'member' then school_id end, scopes,
        ${tokens.access.hash}, ${tokens.refresh.hash},
        now() + make_interval(secs => ${ACCESS_TOKEN_SECONDS}),
        now() + make_interval(days => ${REFRESH_TOKEN_IDLE_DAYS})
      from opened returning issued_at),
    audited as (${audit})
    select presented.*, pair.issued_at
    from presented, (
      select issued_at from minted
      union all select issued_at from token_pairs where id = ${tokens.pairId}) pair`
  let tries = 0
  const run = async () => {
    tries++
    return (await at.run(statement)).rows[0]
  }
  let row = await retryLostConnection(run)
  // Cut off from us, the first try may have gone on and committed while the second waited for it.
  if (row === undefined && tries > 1) row = await retryLostConnection(run)
  if (row === undefined) return undefined
  return {
    pair: {
      pairId: tokens.pairId,
      accessToken: tokens.access.value,
      refreshToken: tokens.refresh.value,
      expiresInSeconds: ACCESS_TOKEN_SECONDS,
      audience: row.audience,
      scopes: row.scopes,
      boundSchoolId: row.audience === 'member' ? at.schoolId : undefined,
      issuedAt: row.issued_at,
    },
    member: {
      person: {
        id: row.user_id,
        email: row.email,
        name: row.name,
        avatarUrl: row.avatar_url ?? undefined,
      },
      roles: row.roles,
    },
    nonce: row.nonce ?? undefined,
    authenticatedAt: row.authenticated_at,
  }
}
