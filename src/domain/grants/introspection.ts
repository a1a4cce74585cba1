import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { parseToken } from '../../foundation/protocol/token-format.ts'

/** What a client may learn about a live token of its own. */
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

/** A token is active if the APIs would take it. Looking at a token is not using it: nothing is retired by this. */
export async function findIntrospection(
  at: SchoolDb,
  clientId: string,
  presented: string,
): Promise<Introspection | undefined> {
  const access = parseToken('access', presented)
  const token = access ?? parseToken('refresh', presented)
  if (token === undefined) return undefined
  const byToken =
    access !== undefined
      ? sql`p.access_hash = ${token.hash} and p.access_expires_at > now()`
      : sql`p.refresh_hash = ${token.hash} and p.refresh_expires_at > now()`
  const { rows } = await at.run(sql<{
    scopes: string[]
    user_id: string | null
    resource: string | null
    bound_school_id: string | null
    issued_at: Date
    access_expires_at: Date
    refresh_expires_at: Date
  }>`
    select p.scopes, a.user_id, a.resource, p.bound_school_id, p.issued_at,
      p.access_expires_at, p.refresh_expires_at
    from token_pairs p
      join authorizations a on a.id = p.authorization_id and a.revoked_at is null
      left join users u on u.id = a.user_id
      left join school_members m on m.school_id = a.school_id and m.user_id = a.user_id
    where p.id = ${token.id} and p.revoked_at is null and ${byToken}
      and a.school_id = ${at.schoolId} and a.client_id = ${clientId}
      and (a.user_id is null or u.deleted_at is null
        and (a.audience = 'member' and m.roles <> '{}' or m.roles && array['owner', 'admin']))`)
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
