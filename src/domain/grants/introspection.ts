import { sql } from 'kysely'
import { prepared } from '../../foundation/db/prepared.ts'
import type { AtSchool, SchoolDb } from '../../foundation/db/school-db.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'
import { parseToken } from '../../foundation/protocol/token-format.ts'
import { mayHoldInSql } from '../actor/actor.ts'
import { CLIENT_IS_ON, secretMatchesInSql } from '../clients/client.ts'
import { isNotEnded } from './authorizations.ts'

/** What a client may learn about its own live token. */
export interface Introspection {
  readonly kind: 'access' | 'refresh'
  readonly scopes: readonly string[]
  readonly userId: string | undefined
  readonly resource: string | undefined
  readonly boundSchoolId: string | undefined
  /** Seconds since the epoch. */
  readonly issuedAt: number
  readonly expiresAt: number
}

export interface IntrospectionRequest {
  readonly clientId: string
  /** SHA-256 of the secret that was sent, or undefined if none was. */
  readonly secretHash: Buffer | undefined
  /** The access or the refresh token, as it was sent. */
  readonly token: string
}

interface Look extends AtSchool {
  tokenId: string
  tokenHash: Buffer
  clientId: string
  secretHash: Buffer | null
}

interface LookRow {
  scopes: string[]
  user_id: string | null
  resource: string | null
  bound_school_id: string | null
  issued_at: Date
  access_expires_at: Date
  refresh_expires_at: Date
}

const lookBy = (kind: 'access' | 'refresh') =>
  prepared<Look, LookRow>(
    (given) => sql`
    select p.scopes, a.user_id, a.resource, p.bound_school_id, p.issued_at,
      p.access_expires_at, p.refresh_expires_at
    from token_pairs p
      join authorizations a on a.id = p.authorization_id
      join clients c on c.school_id = a.school_id and c.client_id = a.client_id
      left join users u on u.id = a.user_id
      left join school_members m on m.school_id = a.school_id and m.user_id = a.user_id
    where p.id = ${given.tokenId} and p.revoked_at is null and ${isNotEnded('a', 'c')}
      and ${
        kind === 'access'
          ? sql`p.access_hash = ${given.tokenHash} and p.access_expires_at > now()`
          : sql`p.refresh_hash = ${given.tokenHash} and p.refresh_expires_at > now()`
      }
      and a.school_id = ${given.schoolId} and a.client_id = ${given.clientId}
      and ${CLIENT_IS_ON} and ${secretMatchesInSql(given.secretHash)}
      and (a.user_id is null
        or u.deleted_at is null and ${mayHoldInSql(sql`a.audience`, sql`m.roles`)})`,
    { optional: ['secretHash'] },
  )

const LOOK_BY_ACCESS_TOKEN = lookBy('access')
const LOOK_BY_REFRESH_TOKEN = lookBy('refresh')

/**
 * A token is active if the APIs accept it. Introspection is not a use: it retires no pair.
 * Undefined also if the client did not authenticate; the caller then checks the client.
 *
 * @see RFC 7662 §2.2
 */
export async function findIntrospection(
  db: SchoolDb,
  request: IntrospectionRequest,
): Promise<Introspection | undefined> {
  const access = parseToken('access', request.token)
  const token = access ?? parseToken('refresh', request.token)
  if (token === undefined) return undefined
  const look = access === undefined ? LOOK_BY_REFRESH_TOKEN : LOOK_BY_ACCESS_TOKEN
  const values = {
    tokenId: token.id,
    tokenHash: token.hash,
    clientId: request.clientId,
    secretHash: request.secretHash ?? null,
  }
  const { rows } = await retryLostConnection(() => db.runPrepared(look, values))
  const row = rows[0]
  if (row === undefined) return undefined
  const expires = access === undefined ? row.refresh_expires_at : row.access_expires_at
  return {
    kind: access === undefined ? 'refresh' : 'access',
    scopes: row.scopes,
    userId: row.user_id ?? undefined,
    resource: row.resource ?? undefined,
    boundSchoolId: row.bound_school_id ?? undefined,
    issuedAt: Math.floor(row.issued_at.getTime() / 1000),
    expiresAt: Math.floor(expires.getTime() / 1000),
  }
}
