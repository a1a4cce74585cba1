import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { count, currency, id, line } from '../operation/fields.ts'
import { invalid } from '../operation/refusal.ts'
import type { ReadOperation } from '../operation.ts'

const SCOPES = ['analytics:read']
const MAX_STEPS = 400

const day = z.iso.date({ error: 'Write a day such as 2027-01-31.' })

const period = {
  from: day.meta({ description: 'The first day.' }),
  to: day.meta({ description: 'The last day, inclusive.' }),
  interval: z.enum(['day', 'week', 'month']).default('day'),
}

const input = z.strictObject(period)

const described = {
  from: day,
  to: day,
  interval: z.enum(['day', 'week', 'month']),
  time_zone: z
    .string()
    .meta({ description: 'The time zone of the school, which decides when a day begins.' }),
}

type Period = z.output<typeof input>

/** Every step of a period, empty ones included, by days in the school's time zone. */
function steps(at: SchoolDb, { from, to, interval }: Period): RawBuilder<unknown> {
  return sql`
    zone as (select time_zone from schools where id = ${at.schoolId}),
    steps as (
      select step::date as starts_on
      from generate_series(date_trunc(${interval}, ${from}::timestamp), ${to}::timestamp,
        ${`1 ${interval}`}::interval) step)`
}

const localTime = (column: string) =>
  sql`(${sql.ref(column)} at time zone (select time_zone from zone))`

/** The step of a time. Grouping rows by it reads each row once, however many steps there are. */
function stepOf(column: string, { interval }: Period): RawBuilder<unknown> {
  return sql`date_trunc(${interval}, ${localTime(column)})::date`
}

function within(column: string, { from, to }: Period): RawBuilder<unknown> {
  // The last two conditions can use an index. Their range is wider, so that it covers every time zone.
  return sql`${localTime(column)}::date between ${from}::date and ${to}::date
    and ${sql.ref(column)} >= ${from}::date - 1 and ${sql.ref(column)} < ${to}::date + 2`
}

const DAYS = { day: 1, week: 7, month: 28 } as const

function checkPeriod({ from, to, interval }: Period): void {
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000
  if (from < '1970' || to > '2999')
    throw invalid('from', 'out_of_range', 'Use years from 1970 to 2998.')
  if (days < 0) throw invalid('to', 'before_from', 'The last day must not be before the first.')
  if (days / DAYS[interval] <= MAX_STEPS) return
  throw invalid('interval', 'too_many_steps', `Ask for at most ${MAX_STEPS} steps at once.`)
}

interface Details<P extends z.ZodRawShape> {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly object: string
  readonly schema: string
  readonly point: P
  /** Selects the points, in order, from `steps`. */
  points(at: SchoolDb, asked: Period): RawBuilder<unknown>
}

function seriesSchema<P extends z.ZodRawShape>({ object, point, schema }: Details<P>) {
  return z
    .strictObject({
      object: z.literal(object),
      ...described,
      data: z.array(z.strictObject({ starts_on: day, ...point })),
    })
    .meta({ id: schema })
}

type Series<P extends z.ZodRawShape> = ReturnType<typeof seriesSchema<P>>

function seriesOperation<P extends z.ZodRawShape>(
  details: Details<P>,
): ReadOperation<typeof input, Series<P>> {
  return {
    name: details.name,
    title: details.title,
    summary: details.summary,
    scopes: SCOPES,
    kind: 'read',
    isHeavy: () => true,
    input,
    output: seriesSchema(details),
    examples: [
      { title: 'A month by days', input: { from: '2027-01-01', to: '2027-01-31' } },
      { title: 'A year', input: { from: '2027-01-01', to: '2027-12-31', interval: 'month' } },
    ],
    async run(at, _caller, period) {
      checkPeriod(period)
      const statement = sql<z.output<Series<P>>['data'][number]>`
        with ${steps(at, period)} ${details.points(at, period)}`
      const { rows } = await at.run(statement)
      const { from, to, interval } = period
      return { object: details.object, from, to, interval, time_zone: await zoneOf(at), data: rows }
    },
  }
}

async function zoneOf(at: SchoolDb): Promise<string> {
  const { rows } = await at.run(
    sql<{ time_zone: string }>`select time_zone from schools where id = ${at.schoolId}`,
  )
  return rows[0]?.time_zone ?? 'UTC'
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
  points: (at, asked) => sql`
    , paid as (
      select ${stepOf('p.paid_at', asked)} as starts_on, p.currency, p.amount as paid, 0 as refunded,
        1 as payments
      from payments p
      where p.school_id = ${at.schoolId} and p.paid_at is not null and ${within('p.paid_at', asked)}
      union all
      select ${stepOf('p.refunded_at', asked)}, p.currency, 0, p.refunded_amount, 0
      from payments p
      where p.school_id = ${at.schoolId} and p.refunded_at is not null and ${within('p.refunded_at', asked)})
    select starts_on, currency, sum(paid)::bigint as paid_amount,
      sum(refunded)::bigint as refunded_amount, sum(payments)::int as payment_count
    from paid group by starts_on, currency order by starts_on, currency collate "C"`,
})

export const readEnrollmentSeries = seriesOperation({
  name: 'analytics.enrollments',
  title: 'Enrollments over time',
  summary: 'How many enrollments started in each step, by their source.',
  object: 'analytics.enrollments',
  schema: 'EnrollmentSeries',
  point: { enrollment_count: count, purchase_count: count, plan_count: count, grant_count: count },
  points: (at, asked) => sql`
    , begun as (
      select ${stepOf('e.enrolled_at', asked)} as starts_on, e.source
      from enrollments e where e.school_id = ${at.schoolId} and ${within('e.enrolled_at', asked)}),
    counted as (
      select starts_on, count(*) as enrollments,
        count(*) filter (where source = 'purchase') as purchases,
        count(*) filter (where source = 'plan') as plans,
        count(*) filter (where source = 'grant') as grants
      from begun group by starts_on)
    select starts_on, coalesce(enrollments, 0)::int as enrollment_count,
      coalesce(purchases, 0)::int as purchase_count, coalesce(plans, 0)::int as plan_count,
      coalesce(grants, 0)::int as grant_count
    from steps left join counted using (starts_on) order by starts_on`,
})

export const readActiveLearners = seriesOperation({
  name: 'analytics.active_learners',
  title: 'Active learners over time',
  summary: 'How many different students were active in each step.',
  object: 'analytics.active_learners',
  schema: 'ActiveLearnerSeries',
  point: { learner_count: count },
  points: (at, { from, to, interval }) => sql`
    , active as (
      select date_trunc(${interval}, d.day::timestamp)::date as starts_on, d.user_id
      from learning_days d
      where d.school_id = ${at.schoolId} and d.day between ${from}::date and ${to}::date),
    counted as (
      select starts_on, count(distinct user_id) as learners from active group by starts_on)
    select starts_on, coalesce(learners, 0)::int as learner_count
    from steps left join counted using (starts_on) order by starts_on`,
})

const completionSchema = z
  .strictObject({
    object: z.literal('analytics.completion'),
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
  async run(at, _caller, { limit }) {
    const { rows } = await at.run(sql<CourseCompletion>`
      with totals as (
        select course_id, count(*) as lectures from lectures
        where school_id = ${at.schoolId} group by course_id),
      done as (
        select user_id, course_id, count(*) as lectures from lecture_progress
        where school_id = ${at.schoolId} and state = 'completed' group by user_id, course_id)
      select c.id as course_id, c.title, count(e.id)::int as student_count,
        count(*) filter (where e.id is not null and t.lectures > 0 and d.lectures = t.lectures)::int as completed_count,
        coalesce(floor(avg(case when e.id is null then null
          else 100.0 * coalesce(d.lectures, 0) / greatest(t.lectures, 1) end)), 0)::int as average_percent
      from courses c
        left join totals t on t.course_id = c.id
        left join enrollments e on e.school_id = c.school_id and e.course_id = c.id and e.revoked_at is null
        left join done d on d.course_id = c.id and d.user_id = e.user_id
      where c.school_id = ${at.schoolId}
      group by c.id, c.title order by student_count desc, c.id limit ${limit}`)
    return { object: 'analytics.completion', data: rows }
  },
}
