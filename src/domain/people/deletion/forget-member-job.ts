import { sql } from 'kysely'
import type { SchoolTx } from '../../../foundation/db/school-db.ts'
import { cancelSubscriptionsOf } from '../../commerce/cancel-subscriptions.ts'
import type { JobKind } from '../../jobs/job.ts'
import { forgetComments } from '../../learning/forget-comments.ts'
import { FORGET_STEPS, type PlannedStep } from './forget-plan.ts'

export interface ForgetInput {
  readonly user_id: string
}

interface ForgetCursor {
  /** The step of the plan that is under way. */
  readonly step: number
}

/** Rows of one step. */
const ROWS_AT_ONCE = 500

/**
 * Removes what a school knows of a member who asked to be forgotten; their access has ended already. Each step looks
 * whether the person has come back meanwhile: what they do from then on is theirs.
 */
export const forgetMemberJob: JobKind<ForgetInput, ForgetCursor> = {
  name: 'people.forget',
  isCleanUp: true,
  async run(job) {
    const { user_id: userId } = job.input
    let step = job.cursor?.step ?? 0
    let isBack = false
    while (!isBack && step < FORGET_STEPS.length) {
      const planned = FORGET_STEPS[step] as PlannedStep
      await job.step(async (tx) => {
        isBack = !(await isForgotten(tx, userId))
        const rows = isBack ? 0 : await forgetRows(tx, planned, userId)
        if (rows < ROWS_AT_ONCE) step += 1
        return { cursor: { step }, done: job.done + rows }
      })
    }
    return { rows: job.done }
  },
}

async function isForgotten(tx: SchoolTx, userId: string): Promise<boolean> {
  const { rows } = await tx.run(sql`
    select from school_members
    where school_id = ${tx.schoolId} and user_id = ${userId} and forgotten_at is not null
    for no key update`)
  return rows.length > 0
}

async function forgetRows(
  tx: SchoolTx,
  { table, column, fate }: PlannedStep,
  userId: string,
): Promise<number> {
  if (fate === 'comments') return await forgetComments(tx, userId, ROWS_AT_ONCE)
  if (fate === 'subscriptions') return await cancelSubscriptionsOf(tx, userId)
  const [rows, person] = [sql.table(table), sql.ref(column)]
  const chosen = sql`ctid = any (array(
    select ctid from ${rows} where school_id = ${tx.schoolId} and ${person} = ${userId}
    limit ${sql.lit(ROWS_AT_ONCE)} for update))`
  const { numAffectedRows } = await tx.run(
    fate === 'delete'
      ? sql`delete from ${rows} where ${chosen}`
      : sql`update ${rows} set ${person} = null where ${chosen}`,
  )
  return Number(numAffectedRows ?? 0)
}
