import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { type Placeholders, prepared } from '../../foundation/db/prepared.ts'
import type { AtSchool, SchoolDb } from '../../foundation/db/school-db.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'
import { parseToken } from '../../foundation/protocol/token-format.ts'
import { auditInsert } from '../audit/audit.ts'
import { secretMatchesInSql, secretUsedInSql } from '../clients/client.ts'

export interface RevocationRequest {
  readonly clientId: string
  /** The access or the refresh token, as it was sent. */
  readonly token: string
  /** SHA-256 of the secret that was sent, or undefined if none was. */
  readonly secretHash: Buffer | undefined
  /** Whether a confidential client may leave its secret out. */
  readonly secretOptional: boolean
  readonly requestId: string | undefined
}

type TokenKind = 'access' | 'refresh'

interface Revocation extends AtSchool {
  tokenId: string
  tokenHash: Buffer
  clientId: string
  secretHash: Buffer | null
  secretOptional: boolean
  auditId: string
  requestId: string | null
}

const provenBy = (given: Placeholders<Revocation>) => sql`
  a.school_id = ${given.schoolId} and a.client_id = ${given.clientId} and c.deleted_at is null
  and (${secretMatchesInSql(given.secretHash)}
    or ${given.secretHash}::bytea is null and ${given.secretOptional})`

const shownBy = (kind: TokenKind, given: Placeholders<Revocation>) =>
  kind === 'refresh'
    ? sql`p.id = ${given.tokenId} and p.revoked_at is null and p.refresh_hash = ${given.tokenHash}`
    : sql`p.id = ${given.tokenId} and p.revoked_at is null and p.access_hash = ${given.tokenHash}
        and p.access_expires_at > now()`

const auditedAs = (kind: TokenKind, given: Placeholders<Revocation>) =>
  auditInsert(
    {
      id: given.auditId,
      schoolId: given.schoolId,
      action: 'token.revoked',
      actorUserId: sql`user_id`,
      clientId: given.clientId,
      authorizationId: sql`authorization_id`,
      detail: sql`${sql.lit(JSON.stringify({ by: `${kind}_token` }))}::jsonb || secret_used`,
      requestId: given.requestId,
    },
    sql`from me`,
  )

/**
 * A used pair, and one without a parent, ends without others: one row changes, so no row is locked
 * first.
 */
const revocationAlone = (kind: TokenKind) =>
  prepared<Revocation, unknown>(
    (given) => sql`
    with me as (
      update token_pairs p set revoked_at = now()
      from authorizations a join clients c on c.school_id = a.school_id and c.client_id = a.client_id
      where ${shownBy(kind, given)} and a.id = p.authorization_id and ${provenBy(given)}
        and (p.first_used_at is not null or p.previous_id is null)
      returning p.authorization_id, a.user_id, ${secretUsedInSql(given.secretHash)} as secret_used),
    audited as (${auditedAs(kind, given)})
    select from me`,
    { optional: ['secretHash'] },
  )

const revocationWithAncestors = (kind: TokenKind) =>
  prepared<Revocation, unknown>(
    (given) => sql`
    with recursive gate as materialized (
      select a.id, a.user_id, ${secretUsedInSql(given.secretHash)} as secret_used from authorizations a
        join clients c on c.school_id = a.school_id and c.client_id = a.client_id
      where a.id = (select authorization_id from token_pairs where id = ${given.tokenId})
        and ${provenBy(given)}
      for no key update of a),
    me as (
      update token_pairs p set revoked_at = now() from gate
      where ${shownBy(kind, given)} and p.authorization_id = gate.id
      returning p.authorization_id, gate.user_id, gate.secret_used, p.previous_id, p.first_used_at is not null as used),
    up (id, previous_id, used) as (
      select id, previous_id, first_used_at is not null from token_pairs
      where id = (select previous_id from me where not me.used)
      union all
      select p.id, p.previous_id, p.first_used_at is not null
      from up join token_pairs p on p.id = up.previous_id where not up.used),
    retired as (
      update token_pairs p set revoked_at = now() from up
      where p.id = up.id and p.revoked_at is null returning 1),
    audited as (${auditedAs(kind, given)})
    select (select count(*) from retired) as retired from me`,
    { optional: ['secretHash'] },
  )

const STATEMENTS = {
  refresh: [revocationAlone('refresh'), revocationWithAncestors('refresh')],
  access: [revocationAlone('access'), revocationWithAncestors('access')],
} as const

/**
 * Ends the pair of a token, if the token is this client's at this school and the client proved
 * itself: a refresh token always, an access token only within its lifetime. Live ancestors go with
 * an unused pair, since its parent could mint it anew; siblings and children are other sessions and
 * stay.
 *
 * The first statement ends a pair without others, which is the usual case; the second ends a pair
 * with its ancestors. False if neither found a pair to end: the caller then looks at the client and
 * decides what to tell it. May run twice: what is revoked already stays so.
 *
 * @see RFC 7009 §2.1 and §2.2
 */
export async function revokePair(db: SchoolDb, request: RevocationRequest): Promise<boolean> {
  const refresh = parseToken('refresh', request.token)
  const token = refresh ?? parseToken('access', request.token)
  if (token === undefined) return false
  const values = {
    tokenId: token.id,
    tokenHash: token.hash,
    clientId: request.clientId,
    secretHash: request.secretHash ?? null,
    secretOptional: request.secretOptional,
    auditId: uuidv7(),
    requestId: request.requestId ?? null,
  }
  for (const statement of STATEMENTS[refresh === undefined ? 'access' : 'refresh']) {
    const { rows } = await retryLostConnection(() => db.runPrepared(statement, values))
    if (rows.length === 1) return true
  }
  return false
}
