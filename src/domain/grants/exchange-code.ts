import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { prepared } from '../../foundation/db/prepared.ts'
import type { AtSchool, SchoolDb } from '../../foundation/db/school-db.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'
import type { TokenFingerprint } from '../../foundation/protocol/token-format.ts'
import { preparedAuditInsert } from '../audit/audit.ts'
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

interface Exchange extends AtSchool {
  codeId: string
  codeHash: Buffer
  clientId: string
  secretHash: Buffer | null
  redirectUri: string
  codeChallenge: string
  resourceGiven: boolean
  authorizationId: string
  pairId: string
  accessHash: Buffer
  refreshHash: Buffer
  auditId: string
  requestId: string | null
}

const EXCHANGE = prepared<Exchange, ExchangedRow>(
  (given) => sql`
    with presented as (
      select k.id, k.audience, k.scopes, k.nonce, k.authenticated_at,
        u.id as user_id, u.email, u.name, u.avatar_url, m.roles
      -- By its id and nothing else: without the fence PostgreSQL may take the index by client for as good.
      from (select * from authorization_codes where id = ${given.codeId} offset 0) k
        join clients c on c.school_id = k.school_id and c.client_id = k.client_id
        join school_members m on m.school_id = k.school_id and m.user_id = k.user_id
        join users u on u.id = k.user_id and u.deleted_at is null
      where k.hash = ${given.codeHash}
        and k.school_id = ${given.schoolId} and k.client_id = ${given.clientId}
        and k.redirect_uri = ${given.redirectUri} and k.code_challenge = ${given.codeChallenge}
        and (k.consumed_at is null and k.expires_at > now() or k.pair_id = ${given.pairId})
        and c.disabled_at is null and c.deleted_at is null
        and c.secret_hash is not distinct from ${given.secretHash}
        and (k.audience = 'operator' or ${given.resourceGiven})
        and (k.audience = 'member' and m.roles <> '{}' or m.roles && array['owner', 'admin'])),
    consumed as (
      update authorization_codes k set consumed_at = now(), pair_id = ${given.pairId}
      from presented where k.id = presented.id and k.consumed_at is null
      returning k.id, k.school_id, k.client_id, k.user_id, k.audience, k.scopes, k.resource, k.device),
    opened as (
      insert into authorizations (id, school_id, client_id, user_id, audience, scopes, resource, code_id, device)
      select ${given.authorizationId}, school_id, client_id, user_id, audience, scopes, resource, id, device
      from consumed returning id, school_id, audience, scopes),
    minted as (
      insert into token_pairs (id, authorization_id, bound_school_id, scopes, access_hash, refresh_hash,
        access_expires_at, refresh_expires_at)
      select ${given.pairId}, id, case when audience = 'member' then school_id end, scopes,
        ${given.accessHash}, ${given.refreshHash},
        now() + make_interval(secs => ${sql.lit(ACCESS_TOKEN_SECONDS)}),
        now() + make_interval(days => ${sql.lit(REFRESH_TOKEN_IDLE_DAYS)})
      from opened returning issued_at),
    audited as (${preparedAuditInsert(
      {
        id: given.auditId,
        schoolId: given.schoolId,
        action: 'token.issued',
        clientId: given.clientId,
        requestId: given.requestId,
        actorUserId: sql`user_id`,
        authorizationId: given.authorizationId,
      },
      sql`consumed`,
    )})
    select presented.*, pair.issued_at
    from presented, (
      select issued_at from minted
      union all select issued_at from token_pairs where id = ${given.pairId}) pair`,
)

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
  const values = {
    codeId: request.code.id,
    codeHash: request.code.hash,
    clientId: request.clientId,
    secretHash: request.secretHash ?? null,
    redirectUri: request.redirectUri,
    codeChallenge: request.codeChallenge,
    resourceGiven: request.resourceGiven,
    authorizationId: uuidv7(),
    pairId: tokens.pairId,
    accessHash: tokens.access.hash,
    refreshHash: tokens.refresh.hash,
    auditId: uuidv7(),
    requestId: request.requestId ?? null,
  }
  let tries = 0
  const run = async () => {
    tries++
    return (await at.runPrepared(EXCHANGE, values)).rows[0]
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
