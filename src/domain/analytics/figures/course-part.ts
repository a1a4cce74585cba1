import { type RawBuilder, sql } from 'kysely'
import type { SchoolTx } from '../../../foundation/db/school-db.ts'
import type { FigurePart } from './figure-part.ts'

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

/** In the order of the index of enrollments by course. An enrollment that moves meanwhile leaves a mark of its own. */
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
