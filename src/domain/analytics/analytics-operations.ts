import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { count, currency, id, line } from '../operation/fields.ts'
import type { ReadOperation } from '../operation/operation.ts'
import {
  countedCompletion,
  countedEnrollments,
  countedLearners,
  countedRevenue,
  keptCompletion,
  keptEnrollments,
  keptLearners,
  keptRevenue,
} from './answers.ts'
import {
  checkPeriod,
  countedTime,
  day,
  described,
  type Period,
  periodInput,
  steps,
} from './period.ts'
import { prepareFigures } from './prepare-figures.ts'

const SCOPES = ['analytics:read']

/** Selects the points, in order, from `steps`. */
type Points = (db: SchoolDb, asked: Period) => RawBuilder<unknown>

interface Details<P extends z.ZodRawShape> {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly object: string
  readonly schema: string
  readonly point: P
  readonly kept: Points
  readonly counted: Points
}

function seriesSchema<P extends z.ZodRawShape>({ object, point, schema }: Details<P>) {
  return z
    .strictObject({
      object: z.literal(object),
      ...described,
      counted_at: countedTime,
      data: z.array(z.strictObject({ starts_on: day, ...point })),
    })
    .meta({ id: schema })
}

type Series<P extends z.ZodRawShape> = ReturnType<typeof seriesSchema<P>>

function seriesOperation<P extends z.ZodRawShape>(
  details: Details<P>,
): ReadOperation<typeof periodInput, Series<P>> {
  return {
    name: details.name,
    title: details.title,
    summary: details.summary,
    scopes: SCOPES,
    kind: 'read',
    isHeavy: () => true,
    input: periodInput,
    output: seriesSchema(details),
    examples: [
      { title: 'A month by days', input: { from: '2027-01-01', to: '2027-01-31' } },
      { title: 'A year', input: { from: '2027-01-01', to: '2027-12-31', interval: 'month' } },
    ],
    async run(db, _caller, period) {
      checkPeriod(period)
      const { isKept, countedAt, timeZone } = await prepareFigures(db)
      const points = (isKept ? details.kept : details.counted)(db, period)
      const { rows } = await db.run(
        sql<z.output<Series<P>>['data'][number]>`with ${steps(db, period)} ${points}`,
      )
      const { from, to, interval } = period
      return {
        object: details.object,
        from,
        to,
        interval,
        time_zone: timeZone,
        counted_at: countedAt?.toISOString() ?? null,
        data: rows,
      }
    },
  }
}

const money = z.int().meta({ description: 'In the minor unit of the currency.' })

export const readRevenue = seriesOperation({
  name: 'analytics.revenue',
  title: 'Revenue over time',
  summary:
    'Payments and refunds, one point per step and currency. Steps without payments have no point.',
  object: 'analytics.revenue',
  schema: 'RevenueSeries',
  point: { currency, paid_amount: money, refunded_amount: money, payment_count: count },
  kept: keptRevenue,
  counted: countedRevenue,
})

export const readEnrollmentSeries = seriesOperation({
  name: 'analytics.enrollments',
  title: 'Enrollments over time',
  summary: 'How many enrollments started in each step, by their source.',
  object: 'analytics.enrollments',
  schema: 'EnrollmentSeries',
  point: { enrollment_count: count, purchase_count: count, plan_count: count, grant_count: count },
  kept: keptEnrollments,
  counted: countedEnrollments,
})

export const readActiveLearners = seriesOperation({
  name: 'analytics.active_learners',
  title: 'Active learners over time',
  summary: 'How many different students were active in each step.',
  object: 'analytics.active_learners',
  schema: 'ActiveLearnerSeries',
  point: { learner_count: count },
  kept: keptLearners,
  counted: countedLearners,
})

const completionSchema = z
  .strictObject({
    object: z.literal('analytics.completion'),
    counted_at: countedTime,
    data: z.array(
      z.strictObject({
        course_id: id,
        title: line(300),
        student_count: count,
        completed_count: count.meta({ description: 'Students who completed every lecture.' }),
        average_percent: count.max(100),
      }),
    ),
  })
  .meta({ id: 'Completion' })

const completionInput = z.strictObject({ limit: z.int().min(1).max(100).default(20) })

type CourseCompletion = z.output<typeof completionSchema>['data'][number]

export const readCompletion: ReadOperation<typeof completionInput, typeof completionSchema> = {
  name: 'analytics.completion',
  title: 'Completion by course',
  summary: 'How far the students of each course are, courses with most students first.',
  scopes: SCOPES,
  kind: 'read',
  isHeavy: () => true,
  input: completionInput,
  output: completionSchema,
  examples: [{ title: 'The ten largest courses', input: { limit: 10 } }],
  async run(db, _caller, { limit }) {
    const { isKept, countedAt } = await prepareFigures(db)
    const courses = (isKept ? keptCompletion : countedCompletion)(db, limit)
    const { rows } = await db.run(sql<CourseCompletion>`${courses}`)
    return {
      object: 'analytics.completion',
      counted_at: countedAt?.toISOString() ?? null,
      data: rows,
    }
  },
}

export const analyticsOperations = {
  revenue: readRevenue,
  enrollments: readEnrollmentSeries,
  'active-learners': readActiveLearners,
  completion: readCompletion,
}
