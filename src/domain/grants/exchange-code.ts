import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'
import { auditInsert } from '../audit/audit.ts'
import type { FoundCode } from './codes.ts'
import { ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_IDLE_DAYS } from './lifetimes.ts'
import { type FreshTokens, freshTokens, type IssuedPair } from './token-pair.ts'

/**
 * Consumes the code and mints its authorization and first pair, in one statement and so in one
 * transaction: of any number of racing exchanges exactly one gets a pair, the others undefined. May
 * run twice, since a try whose answer was lost is recognised by the pair id it had chosen.
 *
 * @see RFC 6749 §4.1.2 and §10.5
 */
export async function exchangeCode(
  at: SchoolDb,
  code: FoundCode,
  requestId: string | undefined,
): Promise<IssuedPair | undefined> {
  const tokens = freshTokens()
  const authorizationId = uuidv7()
  const boundSchoolId = code.audience === 'member' ? at.schoolId : undefined
  const audit = auditInsert(
    at.schoolId,
    {
      action: 'token.issued',
      outcome: 'ok',
      actorUserId: code.userId,
      clientId: code.clientId,
      authorizationId,
      detail: { scopes: code.scopes },
      requestId,
    },
    sql`exists (select from minted)`,
  )
  const statement = sql<{ issued_at: Date }>`
    with consumed as (
      update authorization_codes set consumed_at = now(), pair_id = ${tokens.pairId}
      where id = ${code.id} and school_id = ${at.schoolId} and consumed_at is null and expires_at > now()
      returning id, school_id, client_id, user_id, audience, scopes, resource, device),
    opened as (
      insert into authorizations (id, school_id, client_id, user_id, audience, scopes, resource, code_id, device)
      select ${authorizationId}, school_id, client_id, user_id, audience, scopes, resource, id, device
      from consumed returning id, scopes),
    minted as (
      insert into token_pairs (id, authorization_id, bound_school_id, scopes, access_hash, refresh_hash,
        access_expires_at, refresh_expires_at)
      select ${tokens.pairId}, id, ${boundSchoolId ?? null}::uuid, scopes, ${tokens.access.hash}, ${tokens.refresh.hash},
        now() + make_interval(secs => ${ACCESS_TOKEN_SECONDS}),
        now() + make_interval(days => ${REFRESH_TOKEN_IDLE_DAYS})
      from opened returning issued_at),
    audited as (${audit})
    select issued_at from minted`
  const { rows } = await retryLostConnection(() => at.run(statement))
  const minted = rows[0]
  if (minted !== undefined) return issued(tokens, code, boundSchoolId, minted.issued_at)
  return await ownEarlierTry(at, code, tokens, boundSchoolId)
}

/** The statement may have committed although its answer was lost: then the pair is ours already. */
async function ownEarlierTry(
  at: SchoolDb,
  code: FoundCode,
  tokens: FreshTokens,
  boundSchoolId: string | undefined,
): Promise<IssuedPair | undefined> {
  const { rows } = await at.run(sql<{ issued_at: Date }>`
    select p.issued_at from authorization_codes c join token_pairs p on p.id = c.pair_id
    where c.id = ${code.id} and c.school_id = ${at.schoolId} and c.pair_id = ${tokens.pairId}`)
  const own = rows[0]
  return own === undefined ? undefined : issued(tokens, code, boundSchoolId, own.issued_at)
}

function issued(
  tokens: FreshTokens,
  code: FoundCode,
  boundSchoolId: string | undefined,
  issuedAt: Date,
): IssuedPair {
  return {
    pairId: tokens.pairId,
    accessToken: tokens.access.value,
    refreshToken: tokens.refresh.value,
    expiresInSeconds: ACCESS_TOKEN_SECONDS,
    audience: code.audience,
    scopes: code.scopes,
    boundSchoolId,
    issuedAt,
  }
}

/**
 * A code presented a second time by somebody who proved possession of it ends the authorization
 * that it made: one of the two presenters stole it. Commits although the request is refused.
 *
 * @see RFC 6749 §4.1.2, RFC 9700 §4.5
 */
export async function endAuthorizationOfReplayedCode(
  at: SchoolDb,
  code: FoundCode,
  requestId: string | undefined,
): Promise<void> {
  const audit = auditInsert(
    at.schoolId,
    {
      action: 'code.replayed',
      outcome: 'invalid_grant',
      actorUserId: code.userId,
      clientId: code.clientId,
      requestId,
    },
    sql`true`,
  )
  await at.run(sql`
    with ended as (
      update authorizations set revoked_at = now()
      where code_id = ${code.id} and school_id = ${at.schoolId} and revoked_at is null),
    audited as (${audit})
    select 1`)
}
