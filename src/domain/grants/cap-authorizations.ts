import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import type { Sweep } from '../../foundation/db/sweep.ts'
import { auditInsert } from '../audit/audit.ts'
import { FIRST_ID, lowestIdAt } from './ids-in-time.ts'

/** Live authorizations of one person for one application: devices, browsers, installations. */
export const MOST_AUTHORIZATIONS = 500
const ENDED_AT_ONCE = 1000
/** By then the transaction that made it has ended, also on a process whose clock is behind. */
const SETTLED_MS = 600_000

interface Crowd {
  readonly school_id: string
  readonly client_id: string
  readonly user_id: string
}

/**
 * A program that authorizes at every start, or a member with a script, adds an authorization each time, and each
 * lives for months. The newest five hundred stay, and before them those with a token that works: a program that revokes its
 * tokens when it ends must not sign out a device that rests. The sweep looks once at each authorization, soon after it was made; an index
 * finds the others of its person.
 */
export const authorizationsCap: Sweep = {
  name: 'surplus_authorizations',
  position: 'surplus_authorizations',
  async step(db, { after, size, now }) {
    const { rows } = await sql<{ looked: number; last: string | null; crowds: Crowd[] }>`
      with page as materialized (
        select id, school_id, client_id, user_id, revoked_at from authorizations
        where id > ${after ?? FIRST_ID} and id < ${lowestIdAt(now - SETTLED_MS)}
        order by id limit ${sql.lit(size)}),
      holders as materialized (
        select distinct school_id, client_id, user_id from page
        where user_id is not null and revoked_at is null),
      crowds as (
        select h.school_id, h.client_id, h.user_id from holders h
        where (select count(*) from (
          select from authorizations a
          where a.school_id = h.school_id and a.user_id = h.user_id and a.client_id = h.client_id
            and a.revoked_at is null
          limit ${sql.lit(MOST_AUTHORIZATIONS + 1)}) live) > ${MOST_AUTHORIZATIONS})
      select (select count(*) from page)::int as looked,
        (select id::text from page order by id desc limit 1) as last,
        (select coalesce(json_agg(crowds), '[]') from crowds) as crowds`.execute(db)
    const [row] = rows
    let removed = 0
    for (const crowd of row?.crowds ?? []) removed += await endOldest(db, crowd)
    return { removed, last: row?.last ?? after, isDone: row === undefined || row.looked < size }
  },
}

/** Locked in the order of ids, as in every statement that ends several. */
async function endOldest(db: Db, { school_id, client_id, user_id }: Crowd): Promise<number> {
  const audit = auditInsert(
    {
      schoolId: school_id,
      action: 'authorization.ended',
      clientId: client_id,
      actorUserId: user_id,
      detail: JSON.stringify({ reason: `more than ${MOST_AUTHORIZATIONS} of one person` }),
    },
    sql`where exists (select from ended)`,
  )
  const { rows } = await sql<{ ended: number }>`
    with surplus as materialized (
      select id from authorizations
      where school_id = ${school_id} and user_id = ${user_id} and client_id = ${client_id}
        and revoked_at is null
      order by exists (
          select from token_pairs p where p.authorization_id = authorizations.id
            and p.revoked_at is null and p.refresh_expires_at > now()) desc,
        coalesce(last_used_at, created_at) desc, id desc
      offset ${MOST_AUTHORIZATIONS} limit ${sql.lit(ENDED_AT_ONCE)}),
    gate as materialized (
      select id from authorizations where id in (select id from surplus)
      order by id for no key update),
    ended as (
      update authorizations a set revoked_at = now() from gate
      where a.id = gate.id and a.revoked_at is null returning 1),
    audited as (${audit})
    select count(*)::int as ended from ended`.execute(db)
  return rows[0]?.ended ?? 0
}
