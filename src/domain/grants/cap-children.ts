import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import type { Sweep } from '../../foundation/db/sweep.ts'
import { auditInsert } from '../audit/audit.ts'
import { FIRST_ID, lowestIdAt } from './ids-in-time.ts'

/** How many children a refresh token may have that were never used. */
export const MOST_UNUSED_CHILDREN = 100
const UNUSED_FOR_MS = 3_600_000
const REVOKED_AT_ONCE = 1000
const STATEMENTS_PER_PARENT = 10

interface Crowd {
  readonly authorization_id: string
  readonly school_id: string
  readonly client_id: string
  readonly previous_id: string
}

/**
 * Every retry of a refresh adds a child, and only a used child retires their parent. A client that
 * refreshes without end and uses no token keeps the newest hundred. The sweep looks once at each pair that was not used for an
 * hour, and then at all pairs of its authorization, which an index finds.
 */
export const childrenCap: Sweep = {
  name: 'unused_children',
  position: 'unused_children',
  async step(db, { after, size, now }) {
    const { rows } = await sql<{ looked: number; last: string | null; crowds: Crowd[] }>`
      with page as materialized (
        select id, authorization_id,
          previous_id is not null and first_used_at is null and revoked_at is null as is_unused
        from token_pairs
        where id > ${after ?? FIRST_ID} and id < ${lowestIdAt(now - UNUSED_FOR_MS)}
        order by id limit ${sql.lit(size)}),
      crowds as (
        select a.id as authorization_id, a.school_id, a.client_id, p.previous_id
        from token_pairs p join authorizations a on a.id = p.authorization_id
        where p.authorization_id = any (array(select authorization_id from page where is_unused))
          and p.previous_id is not null and p.first_used_at is null and p.revoked_at is null
          and a.revoked_at is null
        group by a.id, a.school_id, a.client_id, p.previous_id
        having count(*) > ${MOST_UNUSED_CHILDREN})
      select (select count(*) from page)::int as looked,
        (select id::text from page order by id desc limit 1) as last,
        (select coalesce(json_agg(crowds), '[]') from crowds) as crowds`.execute(db)
    const [row] = rows
    let removed = 0
    for (const crowd of row?.crowds ?? []) removed += await thin(db, crowd)
    return { removed, last: row?.last ?? after, isDone: row === undefined || row.looked < size }
  },
}

async function thin(db: Db, crowd: Crowd): Promise<number> {
  let revoked = 0
  for (let i = 0; i < STATEMENTS_PER_PARENT; i++) {
    const now = await revokeOldest(db, crowd)
    revoked += now
    if (now < REVOKED_AT_ONCE) break
  }
  return revoked
}

/**
 * The authorization is locked first, as in every statement that changes several pairs. A child with
 * children of its own stays: through it their first use finds the pairs to retire.
 */
async function revokeOldest(db: Db, crowd: Crowd): Promise<number> {
  const audit = auditInsert(
    {
      schoolId: crowd.school_id,
      action: 'token.revoked',
      clientId: crowd.client_id,
      authorizationId: crowd.authorization_id,
      detail: JSON.stringify({ reason: 'too many unused children of one refresh token' }),
    },
    sql`where exists (select from revoked)`,
  )
  const { rows } = await sql<{ revoked: number }>`
    with gate as materialized (
      select id from authorizations where id = ${crowd.authorization_id} for no key update),
    surplus as (
      select p.id from gate join token_pairs p on p.authorization_id = gate.id
      where p.previous_id = ${crowd.previous_id} and p.first_used_at is null and p.revoked_at is null
        -- Not "not exists": without statistics that is planned as one search for each child.
        and p.id not in (
          select c.previous_id from token_pairs c
          where c.authorization_id = ${crowd.authorization_id} and c.previous_id is not null)
      order by p.id desc offset ${MOST_UNUSED_CHILDREN} limit ${sql.lit(REVOKED_AT_ONCE)}),
    revoked as (
      update token_pairs p set revoked_at = now() from surplus
      where p.id = surplus.id and p.first_used_at is null and p.revoked_at is null returning 1),
    audited as (${audit})
    select count(*)::int as revoked from revoked`.execute(db)
  return rows[0]?.revoked ?? 0
}
