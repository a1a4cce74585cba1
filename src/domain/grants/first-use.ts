import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'

/**
 * The first use of an access token shows that its client has it, so the pairs it was refreshed from
 * are retired: every live ancestor up to and including the first that was itself used. Several unused
 * generations may lie between, and no other statement would retire them.
 *
 * The authorization row is locked first. Without that order, concurrent uses of parent and child
 * deadlock. False if another request used or revoked the pair, or ended its authorization, in the
 * meantime: the caller reads again and then decides. May run twice: a use that was counted although
 * its answer was lost gives false.
 */
export async function markFirstUse(at: SchoolDb, pairId: string): Promise<boolean> {
  const statement = sql<{ used: number }>`
    with recursive gate as materialized (
      update authorizations set last_used_at = now()
      where id = (select authorization_id from token_pairs where id = ${pairId})
        and school_id = ${at.schoolId} and revoked_at is null
      returning id),
    me as (
      update token_pairs p set first_used_at = now() from gate
      where p.id = ${pairId} and p.authorization_id = gate.id
        and p.first_used_at is null and p.revoked_at is null
      returning p.previous_id),
    up (id, previous_id, used) as (
      select id, previous_id, first_used_at is not null from token_pairs
      where id = (select previous_id from me)
      union all
      select p.id, p.previous_id, p.first_used_at is not null
      from up join token_pairs p on p.id = up.previous_id where not up.used),
    retired as (
      update token_pairs p set revoked_at = now() from up
      where p.id = up.id and p.revoked_at is null returning 1)
    select (select count(*) from me)::int as used, (select count(*) from retired) as retired`
  const { rows } = await retryLostConnection(() => at.run(statement))
  return rows[0]?.used === 1
}
