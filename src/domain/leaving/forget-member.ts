import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { cancelSubscriptionsOf } from '../commerce/subscription-operations.ts'
import type { JobKind } from '../jobs/job.ts'
import { forgetComments } from '../learning/comment-operations.ts'
import { FORGET_MEMBER } from '../people/deletion/leave-school.ts'

/**
 * What becomes of the rows that name a person when a school forgets them. `delete`: the rows go.
 * `unlink`: they stay without the person. `leave`: the request that forgets them ends them at once
 * (`leave-school.ts`). A function does what is special about a table (`forgetRows`). `keep`: they
 * stay, and why.
 */
export type Fate =
  | 'delete'
  | 'unlink'
  | 'leave'
  | 'comments'
  | 'subscriptions'
  | { readonly keep: string }

const BOOKS = { keep: 'the school must keep its books; they show neither name nor email' }
const ACCOUNT = { keep: 'belongs to the account, which may go on at other schools' }
const SHORT_LIVED = { keep: 'removed a week after its end' }

/**
 * By table and column, in the order in which rows can go. `test/rules/own-data.test.ts` compares it
 * with the schema.
 */
export const FORGET_PLAN: Readonly<Record<string, Readonly<Record<string, Fate>>>> = {
  users: { id: ACCOUNT },
  person_pictures: { user_id: ACCOUNT },
  authenticators: { user_id: ACCOUNT },
  recovery_codes: { user_id: ACCOUNT },
  email_changes: { user_id: ACCOUNT },
  lost_factors: { user_id: ACCOUNT },
  school_members: { user_id: { keep: 'payments refer to it; it shows neither name nor email' } },
  deletion_requests: { user_id: 'leave' },
  browser_sessions: { user_id: 'leave' },
  password_resets: { user_id: 'leave' },
  notice_links: { user_id: 'leave' },
  trusted_devices: { user_id: 'leave' },
  calendar_feeds: { user_id: 'leave' },
  passkeys: { user_id: 'leave' },
  passkey_handles: { user_id: 'leave' },
  authorization_codes: { user_id: 'leave' },
  authorizations: { user_id: 'leave' },
  jobs: { user_id: SHORT_LIVED },
  audit_entries: {
    actor_user_id: { keep: 'has an id and no name; removed after AUDIT_RETENTION_DAYS' },
  },
  clients: {
    created_by: { keep: 'says which member made an app of the school, without a name' },
    reviewed_by: { keep: 'says which member reviewed an app of the school, without a name' },
  },
  orders: { user_id: BOOKS },
  payments: { user_id: BOOKS },
  coupon_redemptions: { user_id: BOOKS },
  subscriptions: { user_id: 'subscriptions' },
  comments: { user_id: 'comments' },
  consulting_services: { host_id: 'unlink' },
  posts: { author_id: 'unlink' },
  files: { created_by: 'unlink' },
  course_lecturers: { user_id: 'delete' },
  lecturers: { user_id: 'delete' },
  meeting_seats: { user_id: 'delete' },
  study_group_members: { user_id: 'delete' },
  event_registrations: { user_id: 'delete' },
  form_submissions: { user_id: 'delete' },
  digital_product_accesses: { user_id: 'delete' },
  notifications: { user_id: 'delete' },
  notification_subscriptions: { user_id: 'delete' },
  learning_days: { user_id: 'delete' },
  lecture_progress: { user_id: 'delete' },
  enrollments: { user_id: 'delete' },
}

interface PlannedStep {
  readonly table: string
  readonly column: string
  readonly fate: 'delete' | 'unlink' | 'comments' | 'subscriptions'
}

/** What is left for the job. */
const FORGET_STEPS: readonly PlannedStep[] = Object.entries(FORGET_PLAN).flatMap(
  ([table, columns]) =>
    Object.entries(columns).flatMap(([column, fate]) =>
      typeof fate === 'object' || fate === 'leave' ? [] : { table, column, fate },
    ),
)

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
 * Removes what a school knows of a member who asked to be forgotten; their access has ended
 * already. Each step looks whether the person has come back meanwhile: what they do from then on is
 * theirs.
 */
export const forgetMemberJob: JobKind<ForgetInput, ForgetCursor> = {
  ...FORGET_MEMBER,
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
