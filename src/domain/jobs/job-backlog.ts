import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'

export interface JobBacklog {
  readonly waiting: number
  readonly running: number
  /** Of those that wait; 0 if none does. */
  readonly oldestSeconds: number
}

/** More are not counted. */
const MOST_COUNTED = 10_000

/** Crosses schools. Two small indexes hold these rows, whatever else is in the table. */
export async function readJobBacklog(db: Db): Promise<JobBacklog> {
  const { rows } = await sql<JobBacklog>`
    select count(*)::int as waiting,
      coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds",
      (select count(*)::int from (select 1 from jobs where state = 'running' limit ${MOST_COUNTED}) r) as running
    from (select created_at from jobs where state = 'waiting' limit ${MOST_COUNTED}) w`.execute(db)
  return rows[0] ?? { waiting: 0, running: 0, oldestSeconds: 0 }
}
