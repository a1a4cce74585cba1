import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { paymentsDueSoon } from '../commerce/due-soon.ts'
import { cappedCount } from '../operation/capped-count.ts'

/** What waits for an owner or admin. Each is counted no further than a list. */
export interface Waiting {
  readonly refundRequests: number
  /** Unpaid payments whose code can be used for a few days more. */
  readonly paymentsDue: number
  /** Shown ones. */
  readonly newComments: number
  /** Apps that published their own description and are not reviewed yet. */
  readonly appsToReview: number
  readonly failedJobs: number
}

const NOTHING: Waiting = {
  refundRequests: 0,
  paymentsDue: 0,
  newComments: 0,
  appsToReview: 0,
  failedJobs: 0,
}

/**
 * In one statement, whose cost does not grow with the school. The order of comments makes PostgreSQL read the newest by their
 * index: the plan that it keeps for all dates expects that a third of all comments is new, and would look through all for them.
 */
export async function readWaiting(at: SchoolDb, commentsSince: Date): Promise<Waiting> {
  const here = sql`school_id = ${at.schoolId}`
  const { rows } = await at.run(sql<Waiting>`
    select
      ${cappedCount(sql`from payments where ${here} and refunding_state = 'requested'`)}::int as "refundRequests",
      (select count(*) from (${paymentsDueSoon(at)}) due)::int as "paymentsDue",
      ${cappedCount(sql`from comments where ${here} and hidden_at is null and created_at >= ${commentsSince}
        order by created_at desc`)}::int as "newComments",
      ${cappedCount(sql`from clients where ${here} and kind = 'document' and reviewed_at is null
        and disabled_at is null and deleted_at is null`)}::int as "appsToReview",
      ${cappedCount(sql`from jobs where ${here} and state = 'failed' and not of_member`)}::int as "failedJobs"`)
  return rows[0] ?? NOTHING
}
