import { type RawBuilder, sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { type Placeholders, prepared } from '../../foundation/db/prepared.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { secondsInSql } from '../../foundation/db/sql-values.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'
import { requestedScopes } from '../../foundation/protocol/scope-set.ts'
import { parseToken } from '../../foundation/protocol/token-format.ts'
import { auditInsert } from '../audit/audit.ts'
import { secretUsedInSql } from '../clients/client.ts'
import type { Audience } from '../clients/scope-catalogue.ts'
import { allHold, type GrantOutcome, mintOrRefuse } from './grant-rule.ts'
import { lowestIdAt } from './purge-grants.ts'
import { REFRESH_RULEBOOK, type RefreshRequest, type RefreshValues } from './refresh-rules.ts'
import {
  ACCESS_TOKEN_SECONDS,
  freshTokens,
  type IssuedPair,
  REFRESH_TOKEN_IDLE_DAYS,
} from './token-pair.ts'
import { stillHeld, tokenRequestValues } from './token-request-rules.ts'

const DAY_MS = 86_400_000

/**
 * Adds a child to a live pair, in one statement that mints only if every rule holds. The old pair
 * stays as it is: a client that never got this answer asks again with the old token and gets
 * another child.
 *
 * May run twice, with new tokens each time: a child whose answer was lost is never used.
 * No lock is taken. The authorization may end, or a sibling may be used first, at the same moment:
 * the next check of this child sees both, because every check joins the authorization.
 *
 * @see RFC 6749 §6
 */
export async function refreshPair(
  db: SchoolDb,
  request: RefreshRequest,
): Promise<GrantOutcome<IssuedPair>> {
  const values = refreshValues(db, request)
  return await mintOrRefuse(REFRESH_RULEBOOK, db, request, values, () =>
    retryLostConnection(() => mintChild(db, values, request.requestId)),
  )
}

export function refreshValues(db: SchoolDb, request: RefreshRequest): RefreshValues {
  const token = parseToken('refresh', request.refreshToken ?? '')
  return {
    tokenId: token?.id ?? null,
    tokenHash: token?.hash ?? null,
    // Unknown names are not checked here: they are in no granted set, so the rule about scopes
    // refuses them.
    scopes: request.scope === undefined ? null : requestedScopes(request.scope),
    ...tokenRequestValues(db, request),
  }
}

interface Minting extends RefreshValues {
  pairId: string
  accessHash: Buffer
  refreshHash: Buffer
  /** Null if nothing is told. */
  auditId: string | null
  requestId: string
  isFirstOfDay: boolean
}

interface MintedRow {
  scope: string
  bound_school_id: string | null
  issued_at: number
  audience: Audience
}

/** The pair that is refreshed, if every rule holds. */
const refreshed = (given: Placeholders<Minting>) => sql`
  select p.id, p.authorization_id, p.bound_school_id, g.user_id,
    ${stillHeld(sql`coalesce(${given.scopes}::text[], g.scopes)`)} as scopes,
    ${secretUsedInSql(given.secretHash)} as detail
  from ${REFRESH_RULEBOOK.rows(given)}
  where ${allHold(REFRESH_RULEBOOK, given)}`

/**
 * Only pairs of members are bound to a school; for another pair, its authorization tells whose it
 * is.
 */
const insertChild = (given: Placeholders<Minting>, old: RawBuilder<unknown>) => sql<MintedRow>`
  insert into token_pairs (id, authorization_id, bound_school_id, scopes, access_hash, refresh_hash,
    previous_id, access_expires_at, refresh_expires_at)
  select ${given.pairId}, authorization_id, bound_school_id, scopes, ${given.accessHash}, ${given.refreshHash}, id,
    now() + make_interval(secs => ${sql.lit(ACCESS_TOKEN_SECONDS)}),
    now() + make_interval(days => ${sql.lit(REFRESH_TOKEN_IDLE_DAYS)})
  from ${old}
  returning array_to_string(scopes, ' ') as scope, bound_school_id, ${secondsInSql(sql`issued_at`)} as issued_at,
    case when bound_school_id is not null then 'member'
      else (select audience from authorizations where id = authorization_id) end as audience`

const OPTIONAL = { optional: ['scopes', 'secretHash'] } as const

/** No common table expression, which takes PostgreSQL longer. */
const MINT_CHILD = prepared<Minting, MintedRow>(
  (given) => insertChild(given, sql`(${refreshed(given)}) old`),
  OPTIONAL,
)

/**
 * The audit tells of the first refresh of a day, and of each one while a new secret of the client
 * replaces an old one. A client in use refreshes a dozen times a day for each person; when the
 * other pairs were issued is in their rows.
 */
const MINT_CHILD_AND_TELL = prepared<Minting, MintedRow>(
  (given) => sql`
    with old as (${refreshed(given)}),
    audited as (${auditInsert(
      {
        id: given.auditId,
        schoolId: given.schoolId,
        action: 'token.refreshed',
        clientId: given.clientId,
        requestId: given.requestId,
        actorUserId: sql`user_id`,
        authorizationId: sql`authorization_id`,
        detail: sql`detail`,
      },
      sql`from old where ${given.isFirstOfDay} or detail <> '{}'`,
    )})
    ${insertChild(given, sql`old`)}`,
  OPTIONAL,
)

/** The day of the latest refresh, as a number, and its lowest id. */
const today = { day: -1, lowestId: '' }

/** Whether a pair was issued on an earlier day (UTC); its id begins with the time. */
function isOfEarlierDay(pairId: string | null): boolean {
  const day = Math.floor(Date.now() / DAY_MS)
  if (today.day !== day) Object.assign(today, { day, lowestId: lowestIdAt(day * DAY_MS) })
  return pairId !== null && pairId < today.lowestId
}

/** Undefined if a rule does not hold. */
export async function mintChild(
  db: SchoolDb,
  values: RefreshValues,
  requestId: string,
): Promise<IssuedPair | undefined> {
  const tokens = freshTokens()
  const isFirstOfDay = isOfEarlierDay(values.tokenId)
  // Without a secret there is no renewal to tell of.
  const isTold = isFirstOfDay || values.secretHash !== null
  const { rows } = await db.runPrepared(isTold ? MINT_CHILD_AND_TELL : MINT_CHILD, {
    pairId: tokens.pairId,
    accessHash: tokens.access.hash,
    refreshHash: tokens.refresh.hash,
    auditId: isTold ? uuidv7() : null,
    requestId,
    isFirstOfDay,
    ...values,
  })
  const minted = rows[0]
  if (minted === undefined) return undefined
  return {
    tokens,
    expiresInSeconds: ACCESS_TOKEN_SECONDS,
    audience: minted.audience,
    scope: minted.scope,
    boundSchoolId: minted.bound_school_id ?? undefined,
    issuedAt: minted.issued_at,
  }
}
