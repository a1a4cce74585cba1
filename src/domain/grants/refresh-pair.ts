import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { prepared } from '../../foundation/db/prepared.ts'
import type { AtSchool, SchoolDb } from '../../foundation/db/school-db.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'
import type { TokenFingerprint } from '../../foundation/protocol/token-format.ts'
import { preparedAuditInsert } from '../audit/audit.ts'
import type { Audience } from '../clients/scope-catalogue.ts'
import { ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_IDLE_DAYS } from './lifetimes.ts'
import { freshTokens, type IssuedPair } from './token-pair.ts'

export interface RefreshRequest {
  readonly token: TokenFingerprint
  readonly clientId: string
  /** SHA-256 of the secret that was sent, or undefined if none was. */
  readonly secretHash: Buffer | undefined
  /** A narrower set, if the client asked for one. */
  readonly scopes: readonly string[] | undefined
  /** Whether the request named this origin as its resource. */
  readonly resourceGiven: boolean
  readonly requestId: string | undefined
}

/**
 * Adds a child to a live pair, in one statement that mints only if everything holds. The old pair
 * stays as it is: a client that never got this answer asks again with the old token and gets
 * another child. Undefined means refused; `findRefreshFacts` then tells why.
 *
 * May run twice, with new tokens each time: a child whose answer was lost is one more unused child.
 * No lock is taken. Ending the authorization or first use of a sibling may run at the same moment;
 * both are seen by the next check of this child, because every check joins the authorization.
 *
 * @see RFC 6749 §6
 */
export async function refreshPair(
  at: SchoolDb,
  request: RefreshRequest,
): Promise<IssuedPair | undefined> {
  return await retryLostConnection(() => mintChild(at, request))
}

interface Minting extends AtSchool {
  tokenId: string
  tokenHash: Buffer
  clientId: string
  secretHash: Buffer | null
  resourceGiven: boolean
  scopes: readonly string[] | null
  pairId: string
  accessHash: Buffer
  refreshHash: Buffer
  auditId: string
  requestId: string | null
}

interface MintedRow {
  scopes: string[]
  bound_school_id: string | null
  issued_at: Date
  audience: Audience
}

const MINT_CHILD = prepared<Minting, MintedRow>(
  (given) => sql`
    with old as (
      select p.id, p.authorization_id, p.bound_school_id, p.scopes, a.audience, a.user_id
      from token_pairs p
        join authorizations a on a.id = p.authorization_id and a.revoked_at is null
        join clients c on c.school_id = a.school_id and c.client_id = a.client_id
        join school_members m on m.school_id = a.school_id and m.user_id = a.user_id
        join users u on u.id = a.user_id and u.deleted_at is null
      where p.id = ${given.tokenId} and p.refresh_hash = ${given.tokenHash}
        and p.revoked_at is null and p.refresh_expires_at > now()
        and a.school_id = ${given.schoolId} and a.client_id = ${given.clientId}
        and c.disabled_at is null and c.deleted_at is null
        and c.secret_hash is not distinct from ${given.secretHash}
        and (a.audience = 'operator' or ${given.resourceGiven})
        and (a.audience = 'member' and m.roles <> '{}' or m.roles && array['owner', 'admin'])
        and (${given.scopes}::text[] is null or ${given.scopes}::text[] <@ p.scopes)),
    minted as (
      insert into token_pairs (id, authorization_id, bound_school_id, scopes, access_hash, refresh_hash,
        previous_id, access_expires_at, refresh_expires_at)
      select ${given.pairId}, authorization_id, bound_school_id, coalesce(${given.scopes}::text[], scopes),
        ${given.accessHash}, ${given.refreshHash}, id,
        now() + make_interval(secs => ${sql.lit(ACCESS_TOKEN_SECONDS)}),
        now() + make_interval(days => ${sql.lit(REFRESH_TOKEN_IDLE_DAYS)})
      from old
      returning scopes, bound_school_id, issued_at),
    audited as (${preparedAuditInsert(
      {
        id: given.auditId,
        schoolId: given.schoolId,
        action: 'token.refreshed',
        clientId: given.clientId,
        requestId: given.requestId,
        actorUserId: sql`user_id`,
        authorizationId: sql`authorization_id`,
      },
      sql`old`,
    )})
    select minted.scopes, minted.bound_school_id, minted.issued_at, old.audience from minted, old`,
)

async function mintChild(at: SchoolDb, request: RefreshRequest): Promise<IssuedPair | undefined> {
  const tokens = freshTokens()
  const { rows } = await at.runPrepared(MINT_CHILD, {
    tokenId: request.token.id,
    tokenHash: request.token.hash,
    clientId: request.clientId,
    secretHash: request.secretHash ?? null,
    resourceGiven: request.resourceGiven,
    scopes: request.scopes ?? null,
    pairId: tokens.pairId,
    accessHash: tokens.access.hash,
    refreshHash: tokens.refresh.hash,
    auditId: uuidv7(),
    requestId: request.requestId ?? null,
  })
  const minted = rows[0]
  if (minted === undefined) return undefined
  return {
    pairId: tokens.pairId,
    accessToken: tokens.access.value,
    refreshToken: tokens.refresh.value,
    expiresInSeconds: ACCESS_TOKEN_SECONDS,
    audience: minted.audience,
    scopes: minted.scopes,
    boundSchoolId: minted.bound_school_id ?? undefined,
    issuedAt: minted.issued_at,
  }
}

/** What a refused refresh was refused for, to be told to a client that proved itself. */
export interface RefreshFacts {
  readonly authorizationId: string
  readonly clientId: string
  readonly userId: string | undefined
  readonly audience: Audience
  readonly scopes: readonly string[]
  readonly roles: readonly string[]
  readonly revoked: boolean
  readonly expired: boolean
}

export async function findRefreshFacts(
  at: SchoolDb,
  token: TokenFingerprint,
): Promise<RefreshFacts | undefined> {
  const { rows } = await at.run(sql<{
    authorization_id: string
    client_id: string
    user_id: string | null
    audience: Audience
    scopes: string[]
    roles: string[] | null
    revoked: boolean
    expired: boolean
  }>`
    select p.authorization_id, a.client_id, a.user_id, a.audience, p.scopes,
      case when u.deleted_at is null then m.roles end as roles,
      p.revoked_at is not null or a.revoked_at is not null as revoked,
      p.refresh_expires_at <= now() as expired
    from token_pairs p
      join authorizations a on a.id = p.authorization_id
      left join school_members m on m.school_id = a.school_id and m.user_id = a.user_id
      left join users u on u.id = a.user_id
    where p.id = ${token.id} and p.refresh_hash = ${token.hash} and a.school_id = ${at.schoolId}`)
  const row = rows[0]
  if (row === undefined) return undefined
  return {
    authorizationId: row.authorization_id,
    clientId: row.client_id,
    userId: row.user_id ?? undefined,
    audience: row.audience,
    scopes: row.scopes,
    roles: row.roles ?? [],
    revoked: row.revoked,
    expired: row.expired,
  }
}
