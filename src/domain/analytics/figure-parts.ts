import { type RawBuilder, sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { isLive } from '../grants/connected-apps.ts'
import { ITS_CLIENT } from '../grants/people-of-app.ts'

/**
 * One kind of kept figures. A key names what is counted as a whole: a day, a week, a month, a
 * course.
 */
export interface FigurePart {
  readonly name: string
  /** Those of these keys with more rows than this; no more rows are looked at. */
  findLarge(tx: SchoolTx, keys: readonly string[], rows: number): Promise<readonly string[]>
  /** Counts them from the rows and replaces what was kept. */
  count(tx: SchoolTx, keys: readonly string[]): Promise<void>
  /**
   * Counts the next rows of a large key, of which the largest would take longer than a statement
   * may. Returns what is counted so far; undefined once all is counted and kept. Absent where also
   * a large key takes a moment.
   */
  countNext?(
    tx: SchoolTx,
    key: string,
    soFar: CountedSoFar | null,
    rows: number,
  ): Promise<CountedSoFar | undefined>
  /**
   * Selects every key of the school: those with rows, and those with kept figures, which may be of
   * rows that are gone.
   */
  keys(tx: SchoolTx): RawBuilder<unknown>
}

/** As it is kept with a mark, in JSON; only the part knows what is in it. */
export type CountedSoFar = Readonly<Record<string, string | number>>

interface Total {
  readonly name: string
  /** The rows that must be looked at. */
  rows(tx: SchoolTx): RawBuilder<unknown>
  /** What is set in `school_figures`. */
  counted(tx: SchoolTx): RawBuilder<unknown>
}

function total({ name, rows, counted }: Total): FigurePart {
  return {
    name,
    async findLarge(tx, keys, most) {
      const found = await tx.run(sql<{ many: number }>`
        select count(*)::int as many from (select ${rows(tx)} limit ${most + 1}) few`)
      return (found.rows[0]?.many ?? 0) > most ? keys : []
    },
    async count(tx) {
      await tx.run(sql`
        update school_figures set ${counted(tx)} where school_id = ${tx.schoolId}`)
    },
    keys: () => sql`select '' as key`,
  }
}

const studentRows = (tx: SchoolTx) => sql`from school_members m where m.school_id = ${tx.schoolId}`
const subscriptionRows = (tx: SchoolTx) =>
  sql`from subscriptions s where s.school_id = ${tx.schoolId}`
const authorizationRows = (tx: SchoolTx) =>
  sql`from authorizations a ${ITS_CLIENT} where a.school_id = ${tx.schoolId}`

/** Marked when its number was read and was old, not by writes. */
export const CONNECTED = 'connected'

export const totalParts: readonly FigurePart[] = [
  total({
    name: 'students',
    rows: studentRows,
    counted: (tx) =>
      sql`student_count = (select count(*) ${studentRows(tx)} and 'student' = any (m.roles))`,
  }),
  total({
    name: 'subscriptions',
    rows: subscriptionRows,
    counted: (tx) =>
      sql`active_subscription_count = (select count(*) ${subscriptionRows(tx)} and s.state = 'active')`,
  }),
  total({
    name: CONNECTED,
    rows: authorizationRows,
    counted: (tx) => sql`
      connected_counted_at = now(),
      connected_person_count = (select count(distinct a.user_id) ${authorizationRows(tx)} and ${isLive})`,
  }),
]

/** A day has few rows even at a large school. */
const findLarge = async () => []

/**
 * The days of the school that a day in UTC touches, at most two, and when they begin and end. Marks
 * are in UTC, so that a write need not know the time zone, which may be changing.
 */
const localDays = (tx: SchoolTx, utcDays: readonly string[]): RawBuilder<unknown> => sql`
  zone as (select time_zone from schools where id = ${tx.schoolId}),
  days as (
    select local.day, local.day::timestamp at time zone zone.time_zone as begins,
      (local.day + 1)::timestamp at time zone zone.time_zone as ends
    from zone, (
      select distinct (t.at at time zone 'UTC' at time zone z.time_zone)::date as day
      from zone z, unnest(${utcDays}::date[]) utc (day), lateral (
        values (utc.day::timestamp), (utc.day + interval '1 day' - interval '1 millisecond')) t (at)) local)`

/**
 * The days in UTC that rows are in, by one look at the index for each day: there may be very many
 * rows.
 */
function daysWith(tx: SchoolTx, table: string, column: string): RawBuilder<unknown> {
  const at = sql.ref(`n.${column}`)
  const next = (since: RawBuilder<unknown>) => sql`(
    select (${at} at time zone 'UTC')::date as day from ${sql.table(table)} n
    where n.school_id = ${tx.schoolId} and ${at} >= ${since} order by ${at} limit 1)`
  return sql`(
    with recursive days as (
      select first.day from ${next(sql`'-infinity'::timestamptz`)} first
      union all
      select later.day from days d cross join lateral ${next(sql`(d.day + 1)::timestamp at time zone 'UTC'`)} later)
    select day::text as key from days)`
}

export const revenueDays: FigurePart = {
  name: 'revenue',
  findLarge,
  async count(tx, keys) {
    await tx.run(sql`
      with ${localDays(tx, keys)}
      delete from revenue_days r using days where r.school_id = ${tx.schoolId} and r.day = days.day`)
    await tx.run(sql`
      with ${localDays(tx, keys)},
      moves as (
        select d.day, p.currency, p.amount as paid, 0 as refunded, 1 as payments
        from days d join payments p on p.school_id = ${tx.schoolId} and p.paid_at >= d.begins and p.paid_at < d.ends
        union all
        select d.day, p.currency, 0, p.refunded_amount, 0
        from days d join payments p on p.school_id = ${tx.schoolId} and p.refunded_at >= d.begins and p.refunded_at < d.ends)
      insert into revenue_days (school_id, day, currency, paid_amount, refunded_amount, payment_count)
      select ${tx.schoolId}::uuid, day, currency, sum(paid), sum(refunded), sum(payments)
      from moves group by day, currency`)
  },
  keys: (tx) => sql`
    ${daysWith(tx, 'payments', 'paid_at')} union ${daysWith(tx, 'payments', 'refunded_at')} union
    select day::text from revenue_days where school_id = ${tx.schoolId}`,
}

export const enrollmentDays: FigurePart = {
  name: 'enrollments',
  findLarge,
  async count(tx, keys) {
    await tx.run(sql`
      with ${localDays(tx, keys)}
      delete from enrollment_days r using days where r.school_id = ${tx.schoolId} and r.day = days.day`)
    await tx.run(sql`
      with ${localDays(tx, keys)}
      insert into enrollment_days (school_id, day, source, enrollment_count)
      select ${tx.schoolId}::uuid, d.day, e.source, count(*)
      from days d join enrollments e
        on e.school_id = ${tx.schoolId} and e.enrolled_at >= d.begins and e.enrolled_at < d.ends
      group by d.day, e.source`)
  },
  keys: (tx) => sql`
    ${daysWith(tx, 'enrollments', 'enrolled_at')} union
    select day::text from enrollment_days where school_id = ${tx.schoolId}`,
}

export const SPANS = ['day', 'week', 'month'] as const
export type Span = (typeof SPANS)[number]

/**
 * How many different students learned in a span. Each is counted on the first and on the last of
 * their days in it, so that a span that is cut at its end or at its beginning is counted too: the
 * sum over its days is the number of students.
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

/** The number of lectures of the course `c`. */
const LECTURES = sql`
  select count(*) as lectures from lectures l where l.school_id = c.school_id and l.course_id = c.id`

/** What the enrollments of `c` add to its figures; `t` has its number of lectures. */
const tally = (enrollments: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select count(*) as students, count(*) filter (where t.lectures > 0 and d.lectures = t.lectures) as completed,
    coalesce(sum(d.lectures), 0) as done
  from ${enrollments} e cross join lateral (
    select count(*) as lectures from lecture_progress p
    where p.school_id = c.school_id and p.user_id = e.user_id and p.course_id = c.id and p.state = 'completed') d
  where e.revoked_at is null`

/** The range of a course that was counted last, and the sums of all ranges until then. */
type CourseSoFar = Readonly<{
  enrolled_at: string
  id: string
  students: number
  completed: number
  done: number
}>

const START: CourseSoFar = {
  enrolled_at: '-infinity',
  id: '00000000-0000-0000-0000-000000000000',
  students: 0,
  completed: 0,
  done: 0,
}

const KEEP = sql`
  on conflict (school_id, course_id) do update
    set lecture_count = excluded.lecture_count, student_count = excluded.student_count,
      completed_count = excluded.completed_count, lectures_done = excluded.lectures_done`

const FIGURES = sql`school_id, course_id, lecture_count, student_count, completed_count, lectures_done`

export const coursePart: FigurePart = {
  name: 'course',
  async findLarge(tx, keys, most) {
    const { rows } = await tx.run(sql<{ key: string }>`
      select c.id::text as key from unnest(${keys}::uuid[]) c (id)
      where ${most} < (select count(*) from (
        select from enrollments e where e.school_id = ${tx.schoolId} and e.course_id = c.id limit ${most + 1}) few)`)
    return rows.map(({ key }) => key)
  },
  async count(tx, keys) {
    const enrollments = sql`(
      select n.user_id, n.revoked_at from enrollments n where n.school_id = c.school_id and n.course_id = c.id)`
    await tx.run(sql`
      insert into course_figures (${FIGURES})
      select c.school_id, c.id, t.lectures, s.students, s.completed, s.done
      from courses c cross join lateral (${LECTURES}) t cross join lateral (${tally(enrollments)}) s
      where c.school_id = ${tx.schoolId} and c.id = any (${keys}::uuid[]) ${KEEP}`)
  },
  async countNext(tx, course, kept, rows) {
    const soFar = (kept as CourseSoFar | null) ?? START
    const { looked, ...sums } = await countRange(tx, course, soFar, rows)
    if (looked === rows) return sums
    await tx.run(sql`
      insert into course_figures (${FIGURES})
      select c.school_id, c.id, t.lectures, ${sums.students}, ${sums.completed}, ${sums.done}
      from courses c cross join lateral (${LECTURES}) t
      where c.school_id = ${tx.schoolId} and c.id = ${course} ${KEEP}`)
    return undefined
  },
  keys: (tx) => sql`select id::text as key from courses where school_id = ${tx.schoolId}`,
}

/**
 * In the order of the index of enrollments by course. An enrollment that moves meanwhile leaves a
 * mark of its own.
 */
async function countRange(
  tx: SchoolTx,
  course: string,
  soFar: CourseSoFar,
  most: number,
): Promise<CourseSoFar & { readonly looked: number }> {
  const { rows } = await tx.run(sql<CourseSoFar & { looked: number }>`
    with range as materialized (
      select e.enrolled_at, e.id, e.user_id, e.revoked_at from enrollments e
      where e.school_id = ${tx.schoolId} and e.course_id = ${course}
        and (e.enrolled_at, e.id) > (${soFar.enrolled_at}::timestamptz, ${soFar.id}::uuid)
      order by e.enrolled_at, e.id limit ${most})
    select l.enrolled_at::text, l.id, (select count(*) from range)::int as looked,
      s.students::int, s.completed::int, s.done::int
    from (select enrolled_at, id from range order by enrolled_at desc, id desc limit 1) l, courses c
      cross join lateral (${LECTURES}) t cross join lateral (${tally(sql`range`)}) s
    where c.school_id = ${tx.schoolId} and c.id = ${course}`)
  const [range] = rows
  if (range === undefined) return { ...soFar, looked: 0 }
  return {
    ...range,
    students: soFar.students + range.students,
    completed: soFar.completed + range.completed,
    done: soFar.done + range.done,
  }
}
