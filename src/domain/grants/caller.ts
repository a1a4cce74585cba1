import { type RawBuilder, sql } from 'kysely'
import { constantTimeEqual } from '../../foundation/crypto/digest.ts'
import { type Prepared, prepared } from '../../foundation/db/prepared.ts'
import {
  type AtSchool,
  type CallerCheck,
  inLane,
  type SchoolDb,
  type SchoolTx,
} from '../../foundation/db/school-db.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'
import { OAuthError } from '../../foundation/protocol/errors.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { parseToken, type TokenFingerprint } from '../../foundation/protocol/token-format.ts'
import { type Actor, mayHoldInSql, type Role } from '../actor/actor.ts'
import { CLIENT_IS_ON, SWITCH_ON_AGAIN } from '../clients/client.ts'
import type { Audience } from '../clients/scope-catalogue.ts'
import type { Person } from '../people/person.ts'
import { isNotEnded } from './authorizations.ts'
import { markFirstUse } from './token-pair.ts'

/**
 * The caller of a request: the person behind the token, the client that holds it, and what they may
 * do.
 */
export interface Caller {
  /** The pair of the access token. */
  readonly pairId: string
  readonly person: { readonly id: string }
  readonly roles: readonly Role[]
  readonly clientId: string
  readonly authorizationId: string
  readonly audience: Audience
  readonly scopes: ScopeSet
  /**
   * A member's token without the school: from before tokens had one. It opens nothing of the
   * member.
   */
  readonly lacksSchool: boolean
}

/** A caller with the name, email and picture of the person. */
export interface KnownCaller extends Caller {
  readonly person: Person
}

/** A caller as operations and the audit log take them. */
export function actorOf(caller: Caller, how: Pick<Actor, 'via' | 'origin' | 'requestId'>): Actor {
  return {
    userId: caller.person.id,
    roles: caller.roles,
    scopes: caller.scopes,
    clientId: caller.clientId,
    authorizationId: caller.authorizationId,
    ...how,
  }
}

export interface BearerDemands {
  /** The Member API refuses records without school_id. */
  readonly boundSchool?: true
}

/**
 * The one check of a bearer token for all protected surfaces. It makes every decision that ends in
 * 401, before the first use is counted; each surface then checks scopes. It never reads from
 * replicas, because every process must refuse a token as soon as it is revoked.
 *
 * @see RFC 6750 §3.1, RFC 8707 §2
 */
export async function authenticateBearer(
  db: SchoolDb,
  presented: string,
  demands: BearerDemands = {},
): Promise<Caller> {
  return await authenticate(db, presented, FIND_CALLER, (row, token) =>
    judge(db, token, row, demands),
  )
}

/**
 * `authenticateBearer` for endpoints that answer with claims about the person; one statement reads
 * both.
 */
export async function authenticatePerson(db: SchoolDb, presented: string): Promise<KnownCaller> {
  return await authenticate(db, presented, FIND_KNOWN_CALLER, (row, token) => {
    const caller = judge(db, token, row, {})
    if (row === undefined || row.email === null) throw refused(LEFT)
    const { email, name } = row
    const person = { email, name, avatarUrl: row.avatar_url ?? undefined, ...caller.person }
    return { ...caller, person }
  })
}

async function authenticate<R extends CallerRow, C extends Caller>(
  db: SchoolDb,
  presented: string,
  statement: Prepared<{ id: string } & AtSchool, R>,
  admit: (row: R | undefined, token: TokenFingerprint) => C,
): Promise<C> {
  const token = parseToken('access', presented)
  if (token === undefined) throw refused(UNKNOWN)
  const find = async () => {
    const { rows } = await retryLostConnection(() => db.runPrepared(statement, { id: token.id }))
    return rows[0]
  }
  const row = await find()
  const caller = admit(row, token)
  if (row === undefined || row.used) return caller
  // The token is proven, so this is no longer the work of a stranger.
  if (await markFirstUse(inLane(db, 'interactive'), token.id)) return caller
  // Another request used, revoked or ended it at the same time: read and judge it again.
  return admit(await find(), token)
}

interface CallerRow {
  access_hash: Buffer
  bound_school_id: string | null
  scopes: string
  used: boolean
  live: boolean
  fresh: boolean
  client_on: boolean
  school_id: string
  authorization_id: string
  client_id: string
  audience: Audience
  user_id: string | null
  /** Null without a membership row. */
  holds_role: boolean | null
  roles: Role[] | null
}

interface KnownCallerRow extends CallerRow {
  email: string | null
  name: string
  avatar_url: string | null
}

/**
 * Finds tokens of all schools, so that `judge` can refuse a token of another school with its own
 * text.
 */
const findBy = <R>(id: RawBuilder<string>, more: RawBuilder<unknown>) => sql<R>`
  select p.access_hash, p.bound_school_id, array_to_string(p.scopes, ' ') as scopes,
    p.first_used_at is not null as used, p.revoked_at is null and ${isNotEnded('a', 'c')} as live,
    p.access_expires_at > now() as fresh, ${CLIENT_IS_ON} as client_on,
    a.school_id, a.id as authorization_id, a.client_id, a.audience, a.user_id,
    u.deleted_at is null and ${mayHoldInSql(sql`a.audience`, sql`m.roles`)} as holds_role, m.roles ${more}
  from token_pairs p
    join authorizations a on a.id = p.authorization_id
    join clients c on c.school_id = a.school_id and c.client_id = a.client_id
    left join users u on u.id = a.user_id
    left join school_members m on m.school_id = a.school_id and m.user_id = a.user_id
  where p.id = ${id}`

const FIND_CALLER = prepared<{ id: string } & AtSchool, CallerRow>(({ id }) => findBy(id, sql``))

const FIND_KNOWN_CALLER = prepared<{ id: string } & AtSchool, KnownCallerRow>(({ id }) =>
  findBy(id, sql`, u.email, u.name, u.avatar_url`),
)

function judge(
  db: SchoolDb,
  token: TokenFingerprint,
  row: CallerRow | undefined,
  demands: BearerDemands,
): Caller {
  if (row === undefined || !constantTimeEqual(row.access_hash, token.hash)) throw refused(UNKNOWN)
  if (!row.live || !row.fresh) throw refused(UNKNOWN)
  // The holder of another school's live token learns only that it is not this school's.
  if (row.school_id !== db.schoolId) throw refused(ELSEWHERE)
  if (!row.client_on) throw refused(SWITCHED_OFF)
  if (row.user_id === null) throw refused(UNBOUND)
  if (row.holds_role !== true) throw refused(LEFT)
  if (demands.boundSchool && row.bound_school_id !== db.schoolId) {
    throw refused(row.audience === 'operator' ? FOR_OPERATORS : ELSEWHERE)
  }
  return {
    pairId: token.id,
    person: { id: row.user_id },
    roles: row.roles ?? [],
    clientId: row.client_id,
    authorizationId: row.authorization_id,
    audience: row.audience,
    scopes: ScopeSet.recall(row.scopes),
    lacksSchool: row.audience === 'member' && row.bound_school_id !== db.schoolId,
  }
}

/**
 * Whether the caller still has the token, the authorization behind it, the application and all
 * roles with which the request was admitted. A token that expired meanwhile, or was replaced by a
 * refresh, was good when the request came.
 *
 * docs/architecture.md has the order of locks.
 */
export function checkOfBearer({ pairId, authorizationId, roles }: Caller): CallerCheck {
  const holdsBy = (pair: string) => sql<boolean>`exists (
    select from token_pairs p
      join authorizations a on a.id = p.authorization_id
      join clients c on c.school_id = a.school_id and c.client_id = a.client_id
      join school_members m on m.school_id = a.school_id and m.user_id = a.user_id
      join users u on u.id = a.user_id
    where p.id = ${pair} and p.revoked_at is null and ${isNotEnded('a', 'c')} and ${CLIENT_IS_ON}
      and u.deleted_at is null and m.roles @> ${roles}::text[]
    for share of u, c, m, a, p)`
  const isHeldBy = async (tx: SchoolTx, pair: string) => {
    const { rows } = await tx.run(sql<{ held: boolean }>`select ${holdsBy(pair)} as held`)
    return rows[0]?.held === true
  }
  return {
    // Not the person: whose app holds writes must be able to end it.
    key: authorizationId,
    // Made only for a write: most requests read.
    get holds() {
      return holdsBy(pairId)
    },
    async confirm(tx) {
      if (await isHeldBy(tx, pairId)) return
      const successor = await findSuccessor(tx, pairId, authorizationId)
      if (successor !== undefined && (await isHeldBy(tx, successor))) return
      const { rows } = await tx.run(findBy<CallerRow>(sql`${pairId}`, sql``))
      if (rows[0]?.live !== true) throw refused(UNKNOWN)
      throw refused(rows[0].client_on ? LEFT : SWITCHED_OFF)
    },
  }
}

/** The pair that its client uses now, if it was refreshed from this one. */
async function findSuccessor(
  tx: SchoolTx,
  pairId: string,
  authorizationId: string,
): Promise<string | undefined> {
  const { rows } = await tx.run(sql<{ successor: string }>`
    with recursive up (successor, id, previous_id) as (
      select id, id, previous_id from token_pairs
      where authorization_id = ${authorizationId} and revoked_at is null and first_used_at is not null
      union all
      select up.successor, p.id, p.previous_id from up join token_pairs p on p.id = up.previous_id
      where up.id > ${pairId})
    select successor from up where id = ${pairId} and successor <> id limit 1`)
  return rows[0]?.successor
}

/** For a surface that finds out late that it needs the school of the token. */
export function checkSchool({ lacksSchool }: Caller): void {
  if (lacksSchool) throw refused(ELSEWHERE)
}

const refused = (description: string): OAuthError => new OAuthError('invalid_token', description)

const UNKNOWN =
  'The access token is malformed, unknown, expired or revoked. Refresh it, or send the person through the authorization-code flow again.'
const ELSEWHERE =
  'The access token was issued for a different organization than this origin. Run the authorization-code flow at this origin; a refresh does not change the binding.'
const SWITCHED_OFF = `The application that holds this access token is switched off at this school. ${SWITCH_ON_AGAIN}`
/** An operator token has no school_id, so it gets the refusal of a token without one. */
const FOR_OPERATORS =
  'The access token counts as issued for a different organization than this origin, because operator tokens have no school_id. The Member API accepts only member tokens: send the person through the authorization-code flow of a member application.'
const UNBOUND = 'The access token is not bound to a user.'
const LEFT =
  'The person behind this access token no longer holds the role it needs at this school. Authorize again as a person who does.'
