import { type RawBuilder, sql } from 'kysely'
import type { SchoolTx } from '../../../foundation/db/school-db.ts'
import type { FigurePart } from './figure-part.ts'

export const SPANS = ['day', 'week', 'month'] as const
export type Span = (typeof SPANS)[number]

/**
 * How many different students learned in a span. Each is counted on the first and on the last of their days in it, so that
 * a span that is cut at its end or at its beginning is counted too: the sum over its days is the number of students.
 */
function learnersIn(span: Span): FigurePart {
  const name = `learners_${span}`
  const step = sql`${`1 ${span}`}::interval`
  const inSpan = sql`d.day >= s.starts_on and d.day < s.starts_on + ${step}`
  const nextStart = (tx: SchoolTx, since: RawBuilder<unknown>) => sql`(
    select date_trunc(${span}, n.day::timestamp)::date as day from learning_days n
    where n.school_id = ${tx.schoolId} and n.day >= ${since} order by n.day limit 1)`
  const spans = (keys: readonly string[]) => sql`unnest(${keys}::date[]) s (starts_on)`
  return {
    name,
    async findLarge(tx, keys, most) {
      if (span === 'day') return []
      const { rows } = await tx.run(sql<{ key: string }>`
        select s.starts_on::text as key from ${spans(keys)}
        where ${most} < (select count(*) from (
          select from learning_days d where d.school_id = ${tx.schoolId} and ${inSpan} limit ${most + 1}) few)`)
      return rows.map(({ key }) => key)
    },
    async count(tx, keys) {
      await tx.run(sql`
        delete from learner_days d using ${spans(keys)}
        where d.school_id = ${tx.schoolId} and d.span = ${span} and ${inSpan}`)
      await tx.run(sql`
        with seen as (
          select min(d.day) as first, max(d.day) as last
          from ${spans(keys)} join learning_days d on d.school_id = ${tx.schoolId} and ${inSpan}
          group by s.starts_on, d.user_id),
        ends as (
          select first as day, count(*) as firsts, 0 as lasts from seen group by first
          union all
          select last, 0, count(*) from seen group by last)
        insert into learner_days (school_id, span, day, first_count, last_count)
        select ${tx.schoolId}::uuid, ${span}, day, sum(firsts), sum(lasts) from ends group by day`)
    },
    // One look at the index for each span: a day may have very many rows.
    keys: (tx) => sql`(
      with recursive starts as (
        select first.day from ${nextStart(tx, sql`'-infinity'::date`)} first
        union all
        select later.day from starts cross join lateral ${nextStart(tx, sql`starts.day + ${step}`)} later)
      select day::text as key from starts)
      union
      select date_trunc(${span}, day::timestamp)::date::text from learner_days
      where school_id = ${tx.schoolId} and span = ${span}`,
  }
}

export const learnerParts = SPANS.map(learnersIn)

/** The mark of a day on which students learned stands for the day, its week and its month. */
export function spansOf(day: string): readonly (readonly [part: string, key: string])[] {
  const date = new Date(`${day}T00:00:00Z`)
  const monday = new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * 86_400_000)
  return [
    ['learners_day', day],
    ['learners_week', monday.toISOString().slice(0, 10)],
    ['learners_month', `${day.slice(0, 7)}-01`],
  ]
}
