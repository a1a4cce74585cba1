import { sql } from 'kysely'
import type { Sweep } from '../../foundation/db/sweep.ts'

/**
 * Crosses schools: deletes entries past their retention, oldest first by primary key, and stops at the
 * first batch with an entry to keep. A trigger of the table refuses deletions by any other transaction.
 */
export function auditSweep(retentionDays: number): Sweep {
  return {
    name: 'audit_entries',
    async step(db, { size }) {
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
      return { removed, last: undefined, isDone: removed < size }
    },
  }
}
