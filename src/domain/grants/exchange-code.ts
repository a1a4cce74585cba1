import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { prepared } from '../../foundation/db/prepared.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { secondsInSql } from '../../foundation/db/sql-values.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'
import { challengeOf } from '../../foundation/protocol/pkce.ts'
import { parseToken } from '../../foundation/protocol/token-format.ts'
import type { Role } from '../actor/actor.ts'
import { auditInsert } from '../audit/audit.ts'
import { secretUsedInSql } from '../clients/client.ts'
import type { Audience } from '../clients/scope-catalogue.ts'
import type { AuthenticationContext } from '../people/authentication-context.ts'
import type { Member } from '../people/membership.ts'
import { EXCHANGE_RULEBOOK, type ExchangeRequest, type ExchangeValues } from './exchange-rules.ts'
import { allHold, type GrantOutcome, mintOrRefuse } from './grant-rule.ts'
import {
  ACCESS_TOKEN_SECONDS,
  type FreshTokens,
  freshTokens,
  type IssuedPair,
  REFRESH_TOKEN_IDLE_DAYS,
} from './token-pair.ts'
import { stillHeld, tokenRequestValues } from './token-request-rules.ts'

/** The pair, and the other values for the ID token. */
export interface ExchangedCode {
  readonly pair: IssuedPair
  readonly authorizationId: string
  readonly member: Member
  readonly nonce: string | undefined
  readonly authenticatedAt: Date
  /** Undefined if the client did not ask for it. */
  readonly context: AuthenticationContext | undefined
}

interface ExchangedRow {
  audience: Audience
  scope: string
  nonce: string | null
  authenticated_at: Date
  acr: string | null
  amr: string[] | null
  user_id: string
  email: string
  name: string
  avatar_url: string | null
  roles: Role[]
  issued_at: number
}

interface Exchange extends ExchangeValues {
  authorizationId: string
  accessHash: Buffer
  refreshHash: Buffer
  auditId: string
  requestId: string
}

const EXCHANGE = prepared<Exchange, ExchangedRow>(
  (given) => sql`
    with presented as (
      select g.id, g.audience, ${stillHeld(sql`g.scopes`)} as held, g.nonce, g.authenticated_at, g.acr, g.amr,
        u.id as user_id, u.email, u.name, u.avatar_url, m.roles, c.access_round,
        ${secretUsedInSql(given.secretHash)} as detail
      from ${EXCHANGE_RULEBOOK.rows(given)}
      where ${allHold(EXCHANGE_RULEBOOK, given)}),
    consumed as (
      update authorization_codes k set consumed_at = now(), pair_id = ${given.pairId}
      from presented where k.id = presented.id and k.consumed_at is null
      returning k.id, k.school_id, k.client_id, k.user_id, k.audience, k.scopes, k.resource, k.device,
        presented.access_round),
    opened as (
      insert into authorizations (id, school_id, client_id, user_id, audience, scopes, resource, code_id, device,
        access_round)
      select ${given.authorizationId}, school_id, client_id, user_id, audience, scopes, resource, id, device,
        access_round
      from consumed returning id, school_id, audience),
    minted as (
      insert into token_pairs (id, authorization_id, bound_school_id, scopes, access_hash, refresh_hash,
        access_expires_at, refresh_expires_at)
      select ${given.pairId}, opened.id, case when opened.audience = 'member' then school_id end, held,
        ${given.accessHash}, ${given.refreshHash},
        now() + make_interval(secs => ${sql.lit(ACCESS_TOKEN_SECONDS)}),
        now() + make_interval(days => ${sql.lit(REFRESH_TOKEN_IDLE_DAYS)})
      from opened, presented returning issued_at, scopes),
    audited as (${auditInsert(
      {
        id: given.auditId,
        schoolId: given.schoolId,
        action: 'token.issued',
        clientId: given.clientId,
        requestId: given.requestId,
        actorUserId: sql`consumed.user_id`,
        authorizationId: given.authorizationId,
        detail: sql`detail`,
      },
      sql`from consumed, presented`,
    )})
    select presented.*, ${secondsInSql(sql`pair.issued_at`)} as issued_at, array_to_string(pair.scopes, ' ') as scope
    from presented, (
      select issued_at, scopes from minted
      union all select issued_at, scopes from token_pairs where id = ${given.pairId}) pair`,
  { optional: ['secretHash'] },
)

/**
 * Consumes a code and mints its authorization and first pair, in one statement that does so only if
 * every rule holds: of any number of concurrent exchanges exactly one gets a pair. A refused code
 * stays unchanged.
 *
 * @see RFC 6749 §4.1.2 and §10.5
 */
export async function exchangeCode(
  db: SchoolDb,
  request: ExchangeRequest,
): Promise<GrantOutcome<ExchangedCode>> {
  const tokens = freshTokens()
  const values = exchangeValues(db, request, tokens.pairId)
  return await mintOrRefuse(EXCHANGE_RULEBOOK, db, request, values, () =>
    consumeCode(db, values, tokens, request.requestId),
  )
}

export function exchangeValues(
  db: SchoolDb,
  request: ExchangeRequest,
  pairId: string,
): ExchangeValues {
  const code = parseToken('code', request.code ?? '')
  return {
    codeId: code?.id ?? null,
    codeHash: code?.hash ?? null,
    redirectUri: request.redirectUri ?? null,
    codeChallenge: challengeOf(request.codeVerifier ?? '') ?? null,
    pairId,
    ...tokenRequestValues(db, request),
  }
}

/**
 * Undefined if a rule does not hold. May run twice: a try that committed although its answer was
 * lost is recognised by the pair id that it chose, and is not treated as a replay.
 */
export async function consumeCode(
  db: SchoolDb,
  values: ExchangeValues,
  tokens: FreshTokens,
  requestId: string,
): Promise<ExchangedCode | undefined> {
  const parameters = {
    authorizationId: uuidv7(),
    accessHash: tokens.access.hash,
    refreshHash: tokens.refresh.hash,
    auditId: uuidv7(),
    requestId,
    ...values,
  }
  let tries = 0
  const run = async () => {
    tries++
    return (await db.runPrepared(EXCHANGE, parameters)).rows[0]
  }
  let row = await retryLostConnection(run)
  // A first try that lost its connection may have committed while the second waited for its lock.
  if (row === undefined && tries > 1) row = await retryLostConnection(run)
  if (row === undefined) return undefined
  return { ...exchangedFromRow(db, tokens, row), authorizationId: parameters.authorizationId }
}

function exchangedFromRow(
  db: SchoolDb,
  tokens: FreshTokens,
  row: ExchangedRow,
): Omit<ExchangedCode, 'authorizationId'> {
  return {
    pair: {
      tokens,
      expiresInSeconds: ACCESS_TOKEN_SECONDS,
      audience: row.audience,
      scope: row.scope,
      boundSchoolId: row.audience === 'member' ? db.schoolId : undefined,
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
    context: row.acr === null ? undefined : { acr: row.acr, amr: row.amr ?? [] },
  }
}
