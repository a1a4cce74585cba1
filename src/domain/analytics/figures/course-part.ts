import { sql } from 'kysely'
import type { FigurePart } from './figure-part.ts'

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
    await tx.run(sql`
      insert into course_figures (school_id, course_id, lecture_count, student_count, completed_count, lectures_done)
      select c.school_id, c.id, t.lectures, s.students, s.completed, s.done
      from courses c
        cross join lateral (
          select count(*) as lectures from lectures l where l.school_id = c.school_id and l.course_id = c.id) t
        cross join lateral (
          select count(*) as students, count(*) filter (where t.lectures > 0 and d.lectures = t.lectures) as completed,
            coalesce(sum(d.lectures), 0) as done
          from enrollments e left join (
            select p.user_id, count(*) as lectures from lecture_progress p
            where p.school_id = c.school_id and p.course_id = c.id and p.state = 'completed'
            group by p.user_id) d on d.user_id = e.user_id
          where e.school_id = c.school_id and e.course_id = c.id and e.revoked_at is null) s
      where c.school_id = ${tx.schoolId} and c.id = any (${keys}::uuid[])
      on conflict (school_id, course_id) do update
        set lecture_count = excluded.lecture_count, student_count = excluded.student_count,
          completed_count = excluded.completed_count, lectures_done = excluded.lectures_done`)
  },
  async markAll(tx) {
    await tx.run(sql`
      insert into figure_marks (school_id, part, key)
      select school_id, 'course', id::text from courses where school_id = ${tx.schoolId}`)
  },
}
