import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'
import { parseToken } from '../../foundation/protocol/token-format.ts'
import { auditInsert } from '../audit/audit.ts'

/**
 * Ends the pair of a token, if the token is this client's at this school: a refresh token always,
 * an access token only within its lifetime. Live ancestors go with an unused pair, since its parent
 * could mint it anew; siblings and children are other sessions and stay.
 *
 * Anything the endpoint cannot act on changes nothing, and nobody learns which it was. May run
 * twice: what is revoked already stays so.
 *
 * @see RFC 7009 §2.1 and §2.2
 */
export async function revokePair(
  at: SchoolDb,
  clientId: string,
  presented: string,
  requestId: string | undefined,
): Promise<boolean> {
  const refresh = parseToken('refresh', presented)
  const token = refresh ?? parseToken('access', presented)
  if (token === undefined) return false
  const byToken =
    refresh !== undefined
      ? sql`p.refresh_hash = ${token.hash}`
      : sql`p.access_hash = ${token.hash} and p.access_expires_at > now()`
  const audit = auditInsert(
    at.schoolId,
    {
      action: 'token.revoked',
      outcome: 'ok',
      clientId,
      detail: { by: refresh !== undefined ? 'refresh_token' : 'access_token' },
      requestId,
    },
    sql`exists (select from me)`,
    {
      actorUserId: sql`(select user_id from gate)`,
      authorizationId: sql`(select id from gate)`,
    },
  )
  const statement = sql<{ revoked: number }>`
    with recursive gate as materialized (
      select a.id, a.user_id from authorizations a
      where a.id = (select authorization_id from token_pairs where id = ${token.id})
        and a.school_id = ${at.schoolId} and a.client_id = ${clientId}
      for no key update),
    me as (
      update token_pairs p set revoked_at = now() from gate
      where p.id = ${token.id} and p.authorization_id = gate.id and p.revoked_at is null and ${byToken}
      returning p.previous_id, p.first_used_at is not null as used),
    up (id, previous_id, used) as (
      select id, previous_id, first_used_at is not null from token_pairs
      where id = (select previous_id from me where not me.used)
      union all
      select p.id, p.previous_id, p.first_used_at is not null
      from up join token_pairs p on p.id = up.previous_id where not up.used),
    retired as (
      update token_pairs p set revoked_at = now() from up
      where p.id = up.id and p.revoked_at is null returning 1),
    audited as (${audit})
    select (select count(*) from me)::int as revoked, (select count(*) from retired) as retired`
  const { rows } = await retryLostConnection(() => at.run(statement))
  return rows[0]?.revoked === 1
}
