import { sql } from 'kysely'
import type { Sweep } from '../../foundation/db/sweep.ts'
import { LIFETIME } from './repeated-write.ts'

/** Crosses schools: answers older than their lifetime, oldest first. */
export const idempotencySweep: Sweep = {
  name: 'idempotent_answers',
  async step(db, _after, size) {
    const { rows } = await sql<{ removed: number }>`
      with page as materialized (
        select school_id, key_hash from idempotent_answers
        where answered_at < now() - ${LIFETIME}::interval
        order by answered_at limit ${sql.lit(size)} for update skip locked),
      gone as (
        delete from idempotent_answers a using page
        where a.school_id = page.school_id and a.key_hash = page.key_hash returning 1)
      select count(*)::int as removed from gone`.execute(db)
    const removed = rows[0]?.removed ?? 0
    return { removed, last: removed === size ? 'begin again' : undefined }
  },
}
