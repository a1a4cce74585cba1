import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { holdsInSql } from '../actor/actor.ts'
import { EXPLORER_CLIENT_ID } from '../clients/explorer-client.ts'
import { paymentsDueSoon } from '../commerce/payments-of-member.ts'
import { isLive } from '../grants/connected-apps.ts'
import { ITS_CLIENT } from '../grants/people-of-app.ts'
import { cappedCount } from '../operation/list-page.ts'
import {
  countedEnrollments,
  countedLearners,
  countedRevenue,
  keptEnrollments,
  keptLearners,
  keptRevenue,
} from './answers.ts'
import { CONNECTED } from './figure-parts.ts'
import { type Period, steps } from './period.ts'
import { prepareFigures } from './prepare-figures.ts'

/** The numbers that an owner looks for first, and how money and learners went in some days. */
export interface SchoolTotals {
  readonly students: number
  readonly activeSubscriptions: number
  /** Counted no further than a list. */
  readonly publishedCourses: number
  readonly upcomingEvents: number
  /** By day and currency; days without payments have none. */
  readonly revenue: readonly RevenueDay[]
  /** One for each day. */
  readonly enrollments: readonly { readonly starts_on: string; readonly enrollment_count: number }[]
  readonly learners: readonly { readonly starts_on: string; readonly learner_count: number }[]
  /**
   * Everything that was written before is counted; null during the first count of a large school.
   */
  readonly countedAt: Date | null
}

export interface RevenueDay {
  readonly starts_on: string
  readonly currency: string
  readonly paid_amount: number
  readonly refunded_amount: number
}

type Days = Pick<Period, 'from' | 'to'>

export async function readSchoolTotals(db: SchoolDb, days: Days): Promise<SchoolTotals> {
  const { isKept, countedAt } = await prepareFigures(db)
  const areKept = isKept && countedAt !== null
  const students = areKept
    ? sql`f.student_count`
    : sql`(select count(*) from school_members m where m.school_id = ${db.schoolId} and 'student' = any (m.roles))`
  const subscriptions = areKept
    ? sql`f.active_subscription_count`
    : sql`(select count(*) from subscriptions s where s.school_id = ${db.schoolId} and s.state = 'active')`
  const period = { ...days, interval: 'day' } as const
  const [revenue, enrollments, learners] = isKept
    ? [keptRevenue, keptEnrollments, keptLearners]
    : [countedRevenue, countedEnrollments, countedLearners]
  const points = (select: typeof revenue) => sql`coalesce((
    select json_agg(point) from (with ${steps(db, period)} ${select(db, period)}) point), '[]')`
  const { rows } = await db.run(sql<Omit<SchoolTotals, 'countedAt'>>`
    select ${students}::int as students, ${subscriptions}::int as "activeSubscriptions",
      ${cappedCount(sql`from courses c where c.school_id = ${db.schoolId} and c.state = 'published'`)}::int as "publishedCourses",
      ${cappedCount(sql`from events e
        where e.school_id = ${db.schoolId} and e.state = 'published' and e.starts_at >= now()`)}::int as "upcomingEvents",
      ${points(revenue)} as revenue, ${points(enrollments)} as enrollments, ${points(learners)} as learners
    from (select ${db.schoolId}::uuid as school_id) here left join school_figures f using (school_id)`)
  return { ...(rows[0] ?? NONE), countedAt }
}

const NONE = {
  students: 0,
  publishedCourses: 0,
  activeSubscriptions: 0,
  upcomingEvents: 0,
  revenue: [],
  enrollments: [],
  learners: [],
}

/** Live authorizations that are counted at once; with more, the kept number is shown. */
const FEW = 500
/** How old the kept number may be, in seconds. */
const OLD = 60

/**
 * How many people of the school have authorized at least one app. Tokens leave no marks, because
 * they are given out far too often: at a school with many the number may be a minute old.
 */
export async function countConnectedPeople(db: SchoolDb): Promise<number> {
  const { rows } = await db.run(sql<{
    few: boolean
    people: number
    kept: number | null
    old: boolean
  }>`
    with live as (
      select a.user_id from authorizations a ${ITS_CLIENT} where a.school_id = ${db.schoolId} and ${isLive} limit ${FEW + 1})
    select count(*) <= ${FEW} as few, count(distinct live.user_id)::int as people,
      (select f.connected_person_count::int from school_figures f where f.school_id = ${db.schoolId}) as kept,
      coalesce((select f.connected_counted_at < now() - make_interval(secs => ${OLD}) from school_figures f
        where f.school_id = ${db.schoolId}), true) as old
    from live`)
  const { few = true, people = 0, kept = null, old = false } = rows[0] ?? {}
  if (few) return people
  if (old) await db.insert('figure_marks', { part: CONNECTED, key: '' }).execute()
  return kept ?? (await countAll(db))
}

async function countAll(db: SchoolDb): Promise<number> {
  const { rows } = await db.run(sql<{ people: number }>`
    select count(distinct a.user_id)::int as people
    from authorizations a ${ITS_CLIENT} where a.school_id = ${db.schoolId} and ${isLive}`)
  return rows[0]?.people ?? 0
}

/** How far a school is set up, as its rows show it. */
export interface FirstSteps {
  /** A single owner who loses their account cannot give the role to another person. */
  readonly hasSecondOwner: boolean
  readonly hasApp: boolean
}

export async function readFirstSteps(db: SchoolDb): Promise<FirstSteps> {
  const { rows } = await db.run(sql<FirstSteps>`
    select
      exists (select from school_members m where m.school_id = ${db.schoolId}
        and ${holdsInSql('owner', sql`m.roles`)} offset 1) as "hasSecondOwner",
      exists (select from clients c where c.school_id = ${db.schoolId} and c.deleted_at is null
        and c.client_id <> ${EXPLORER_CLIENT_ID}) as "hasApp"`)
  return rows[0] ?? { hasSecondOwner: false, hasApp: false }
}

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
 * In one statement, whose cost does not grow with the school. The order of comments makes
 * PostgreSQL read the newest by their index: the plan that it keeps for all dates expects that a
 * third of all comments is new, and would look through all for them.
 */
export async function readWaiting(db: SchoolDb, commentsSince: Date): Promise<Waiting> {
  const here = sql`school_id = ${db.schoolId}`
  const { rows } = await db.run(sql<Waiting>`
    select
      ${cappedCount(sql`from payments where ${here} and refunding_state = 'requested'`)}::int as "refundRequests",
      (select count(*) from (${paymentsDueSoon(db)}) due)::int as "paymentsDue",
      ${cappedCount(sql`from comments where ${here} and hidden_at is null and created_at >= ${commentsSince}
        order by created_at desc`)}::int as "newComments",
      ${cappedCount(sql`from clients where ${here} and kind = 'document' and reviewed_at is null
        and disabled_at is null and deleted_at is null`)}::int as "appsToReview",
      ${cappedCount(sql`from jobs where ${here} and state = 'failed' and not of_member`)}::int as "failedJobs"`)
  return rows[0] ?? NOTHING
}
