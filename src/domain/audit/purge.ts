import { sql } from 'kysely'
import type { Sweep } from '../../foundation/db/sweep.ts'

/**
 * Crosses schools: entries past their retention. They are the oldest and so the first along the key;
 * the walk ends at the first batch that still holds one to keep. The table refuses every deletion by
 * a transaction that has not declared itself to be this one.
 */
export function auditSweep(retentionDays: number): Sweep {
  return {
    name: 'audit_entries',
    async step(db, _after, size) {
      const removed = await db.transaction().execute(async (tx) => {
        await sql`set local schoolgate.purging = 'on'`.execute(tx)
        const { rows } = await sql<{ removed: number }>`
          with page as materialized (
            select id, at from audit_entries order by id limit ${sql.lit(size)} for update skip locked),
          gone as (
            delete from audit_entries where id in (
              select id from page where at < now() - make_interval(days => ${retentionDays}))
            returning 1)
          select count(*)::int as removed from gone`.execute(tx)
        return rows[0]?.removed ?? 0
      })
      return { removed, last: removed === size ? 'begin again' : undefined }
    },
  }
}
