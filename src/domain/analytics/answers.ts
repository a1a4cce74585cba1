import { type RawBuilder, sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { Period } from './period.ts'

/**
 * The answers from the kept figures. They equal those that the `counted…` functions below count
 * from the rows.
 */

const daysOf = (db: SchoolDb, { from, to }: Period) =>
  sql`f.school_id = ${db.schoolId} and f.day between ${from}::date and ${to}::date`

const stepOfDay = ({ interval }: Period) => sql`date_trunc(${interval}, f.day::timestamp)::date`

export const keptRevenue = (db: SchoolDb, asked: Period): RawBuilder<unknown> => sql`
  select ${stepOfDay(asked)} as starts_on, f.currency, sum(f.paid_amount)::bigint as paid_amount,
    sum(f.refunded_amount)::bigint as refunded_amount, sum(f.payment_count)::int as payment_count
  from revenue_days f where ${daysOf(db, asked)}
  group by 1, 2 order by 1, f.currency collate "C"`

export const keptEnrollments = (db: SchoolDb, asked: Period): RawBuilder<unknown> => sql`
  , counted as (
    select ${stepOfDay(asked)} as starts_on, sum(f.enrollment_count) as enrollments,
      sum(f.enrollment_count) filter (where f.source = 'purchase') as purchases,
      sum(f.enrollment_count) filter (where f.source = 'plan') as plans,
      sum(f.enrollment_count) filter (where f.source = 'grant') as grants
    from enrollment_days f where ${daysOf(db, asked)} group by 1)
  select starts_on, coalesce(enrollments, 0)::int as enrollment_count,
    coalesce(purchases, 0)::int as purchase_count, coalesce(plans, 0)::int as plan_count,
    coalesce(grants, 0)::int as grant_count
  from steps left join counted using (starts_on) order by starts_on`

/**
 * A step that the period cuts at its end counts the students by their first day in it, one that is
 * cut at its beginning by their last day. Only a step that is cut on both sides, which is then the
 * only one, is counted from the rows.
 */
export const keptLearners = (db: SchoolDb, asked: Period): RawBuilder<unknown> => {
  const { from, to, interval } = asked
  return sql`
  , counted as (
    select ${stepOfDay(asked)} as starts_on, sum(f.first_count) as firsts, sum(f.last_count) as lasts
    from learner_days f where ${daysOf(db, asked)} and f.span = ${interval} group by 1)
  select s.starts_on, coalesce(case
      when s.starts_on >= ${from}::date then c.firsts
      when s.ends_before <= ${to}::date + 1 then c.lasts
      else (
        select count(distinct d.user_id) from learning_days d
        where d.school_id = ${db.schoolId} and d.day between ${from}::date and ${to}::date) end, 0)::int as learner_count
  from steps s left join counted c using (starts_on) order by s.starts_on`
}

export const keptCompletion = (db: SchoolDb, limit: number): RawBuilder<unknown> => sql`
  select c.id as course_id, c.title, f.student_count::int, f.completed_count::int,
    coalesce(100 * f.lectures_done / nullif(f.student_count * greatest(f.lecture_count, 1), 0), 0)::int as average_percent
  from (
    select * from course_figures where school_id = ${db.schoolId}
    order by student_count desc, course_id limit ${limit}) f
  join courses c on c.school_id = ${db.schoolId} and c.id = f.course_id
  order by f.student_count desc, f.course_id`

/**
 * The answers counted from the rows: for a school whose figures are not kept yet, and for tests,
 * which compare them with the kept ones. Each selects the points of `steps`, in order.
 */

const localTime = (column: string) =>
  sql`(${sql.ref(column)} at time zone (select time_zone from zone))`

/** The step of a time. Grouping rows by it reads each row once, however many steps there are. */
function stepOf(column: string, { interval }: Period): RawBuilder<unknown> {
  return sql`date_trunc(${interval}, ${localTime(column)})::date`
}

function within(column: string, { from, to }: Period): RawBuilder<unknown> {
  // The last two conditions can use an index. Their range is wider, so that it covers every time
  // zone.
  return sql`${localTime(column)}::date between ${from}::date and ${to}::date
    and ${sql.ref(column)} >= ${from}::date - 1 and ${sql.ref(column)} < ${to}::date + 2`
}

export const countedRevenue = (db: SchoolDb, asked: Period): RawBuilder<unknown> => sql`
  , paid as (
    select ${stepOf('p.paid_at', asked)} as starts_on, p.currency, p.amount as paid, 0 as refunded,
      1 as payments
    from payments p
    where p.school_id = ${db.schoolId} and p.paid_at is not null and ${within('p.paid_at', asked)}
    union all
    select ${stepOf('p.refunded_at', asked)}, p.currency, 0, p.refunded_amount, 0
    from payments p
    where p.school_id = ${db.schoolId} and p.refunded_at is not null and ${within('p.refunded_at', asked)})
  select starts_on, currency, sum(paid)::bigint as paid_amount,
    sum(refunded)::bigint as refunded_amount, sum(payments)::int as payment_count
  from paid group by starts_on, currency order by starts_on, currency collate "C"`

export const countedEnrollments = (db: SchoolDb, asked: Period): RawBuilder<unknown> => sql`
  , begun as (
    select ${stepOf('e.enrolled_at', asked)} as starts_on, e.source
    from enrollments e where e.school_id = ${db.schoolId} and ${within('e.enrolled_at', asked)}),
  counted as (
    select starts_on, count(*) as enrollments,
      count(*) filter (where source = 'purchase') as purchases,
      count(*) filter (where source = 'plan') as plans,
      count(*) filter (where source = 'grant') as grants
    from begun group by starts_on)
  select starts_on, coalesce(enrollments, 0)::int as enrollment_count,
    coalesce(purchases, 0)::int as purchase_count, coalesce(plans, 0)::int as plan_count,
    coalesce(grants, 0)::int as grant_count
  from steps left join counted using (starts_on) order by starts_on`

export const countedLearners = (
  db: SchoolDb,
  { from, to, interval }: Period,
): RawBuilder<unknown> => sql`
  , active as (
    select date_trunc(${interval}, d.day::timestamp)::date as starts_on, d.user_id
    from learning_days d
    where d.school_id = ${db.schoolId} and d.day between ${from}::date and ${to}::date),
  counted as (
    select starts_on, count(distinct user_id) as learners from active group by starts_on)
  select starts_on, coalesce(learners, 0)::int as learner_count
  from steps left join counted using (starts_on) order by starts_on`

export const countedCompletion = (db: SchoolDb, limit: number): RawBuilder<unknown> => sql`
  with totals as (
    select course_id, count(*) as lectures from lectures
    where school_id = ${db.schoolId} group by course_id),
  done as (
    select user_id, course_id, count(*) as lectures from lecture_progress
    where school_id = ${db.schoolId} and state = 'completed' group by user_id, course_id)
  select c.id as course_id, c.title, count(e.id)::int as student_count,
    count(*) filter (where e.id is not null and t.lectures > 0 and d.lectures = t.lectures)::int as completed_count,
    coalesce(floor(100 * sum(d.lectures) / nullif(count(e.id) * greatest(max(t.lectures), 1), 0)), 0)::int as average_percent
  from courses c
    left join totals t on t.course_id = c.id
    left join enrollments e on e.school_id = c.school_id and e.course_id = c.id and e.revoked_at is null
    left join done d on d.course_id = c.id and d.user_id = e.user_id
  where c.school_id = ${db.schoolId}
  group by c.id, c.title order by student_count desc, c.id limit ${limit}`
