import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'

const STEP_ROWS = 1000

/**
 * Crosses schools: writes the start of the meeting on seats from before an update. Several processes may do this at
 * once. A meeting that is moved meanwhile has filled its seats itself, so they are left alone. Returns how many it filled.
 */
export async function fillSeatTimes(db: Db, signal?: AbortSignal): Promise<number> {
  let filled = 0
  for (;;) {
    if (signal?.aborted === true) return filled
    const { numAffectedRows = 0n } = await sql`
      update meeting_seats s set starts_at = m.starts_at
      from (
        select school_id, meeting_id, user_id from meeting_seats
        where starts_at is null order by school_id, user_id limit ${sql.lit(STEP_ROWS)} for update skip locked) old
        join consulting_meetings m on m.school_id = old.school_id and m.id = old.meeting_id
      where s.school_id = old.school_id and s.meeting_id = old.meeting_id and s.user_id = old.user_id
        and s.starts_at is null`.execute(db)
    filled += Number(numAffectedRows)
    if (numAffectedRows < STEP_ROWS) return filled
  }
}
