import { type RawBuilder, sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import type { Period } from './period.ts'

/** The answers from the kept figures, the same as those that `counted-answers.ts` counts from the rows. */

const daysOf = (at: SchoolDb, { from, to }: Period) =>
  sql`f.school_id = ${at.schoolId} and f.day between ${from}::date and ${to}::date`

const stepOfDay = ({ interval }: Period) => sql`date_trunc(${interval}, f.day::timestamp)::date`

export const keptRevenue = (at: SchoolDb, asked: Period): RawBuilder<unknown> => sql`
  select ${stepOfDay(asked)} as starts_on, f.currency, sum(f.paid_amount)::bigint as paid_amount,
    sum(f.refunded_amount)::bigint as refunded_amount, sum(f.payment_count)::int as payment_count
  from revenue_days f where ${daysOf(at, asked)}
  group by 1, 2 order by 1, f.currency collate "C"`

export const keptEnrollments = (at: SchoolDb, asked: Period): RawBuilder<unknown> => sql`
  , counted as (
    select ${stepOfDay(asked)} as starts_on, sum(f.enrollment_count) as enrollments,
      sum(f.enrollment_count) filter (where f.source = 'purchase') as purchases,
      sum(f.enrollment_count) filter (where f.source = 'plan') as plans,
      sum(f.enrollment_count) filter (where f.source = 'grant') as grants
    from enrollment_days f where ${daysOf(at, asked)} group by 1)
  select starts_on, coalesce(enrollments, 0)::int as enrollment_count,
    coalesce(purchases, 0)::int as purchase_count, coalesce(plans, 0)::int as plan_count,
    coalesce(grants, 0)::int as grant_count
  from steps left join counted using (starts_on) order by starts_on`

/**
 * A step that the period cuts at its end counts the students by their first day in it, one that is cut at its beginning by
 * their last day. Only a step that is cut on both sides, which is then the only one, is counted from the rows.
 */
export const keptLearners = (at: SchoolDb, asked: Period): RawBuilder<unknown> => {
  const { from, to, interval } = asked
  return sql`
  , counted as (
    select ${stepOfDay(asked)} as starts_on, sum(f.first_count) as firsts, sum(f.last_count) as lasts
    from learner_days f where ${daysOf(at, asked)} and f.span = ${interval} group by 1)
  select s.starts_on, coalesce(case
      when s.starts_on >= ${from}::date then c.firsts
      when s.ends_before <= ${to}::date + 1 then c.lasts
      else (
        select count(distinct d.user_id) from learning_days d
        where d.school_id = ${at.schoolId} and d.day between ${from}::date and ${to}::date) end, 0)::int as learner_count
  from steps s left join counted c using (starts_on) order by s.starts_on`
}

export const keptCompletion = (at: SchoolDb, limit: number): RawBuilder<unknown> => sql`
  select c.id as course_id, c.title, f.student_count::int, f.completed_count::int,
    coalesce(100 * f.lectures_done / nullif(f.student_count * greatest(f.lecture_count, 1), 0), 0)::int as average_percent
  from (
    select * from course_figures where school_id = ${at.schoolId}
    order by student_count desc, course_id limit ${limit}) f
  join courses c on c.school_id = ${at.schoolId} and c.id = f.course_id
  order by f.student_count desc, f.course_id`
