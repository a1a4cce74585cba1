import { sql } from 'kysely'
import { EXAMPLE } from '../operation/example-ids.ts'
import { readOperation } from '../operation/object-operations.ts'
import type { Resource } from '../operation/resource.ts'
import { wireTime } from '../operation/wire-sql.ts'
import { progressSchema } from './enrollment-resource.ts'

const progress: Resource<typeof progressSchema> = {
  object: 'progress',
  restPath: '/enrollments/{id}/progress',
  schema: progressSchema,
  rows: (at) => sql`
    select e.id, e.user_id as student_id, e.course_id, t.completed_lectures, t.total_lectures,
      case when t.total_lectures = 0 then 0
           else floor(100.0 * t.completed_lectures / t.total_lectures)::int end as percent,
      t.lectures
    from enrollments e, lateral (
      select count(*) filter (where p.state = 'completed')::int as completed_lectures,
        count(*)::int as total_lectures,
        coalesce(json_agg(json_build_object('lecture_id', l.id, 'title', l.title,
          'state', coalesce(p.state, 'unread'), 'position_seconds', coalesce(p.position_seconds, 0),
          'completed_at', ${wireTime('p.completed_at')}) order by s.position, l.position), '[]') as lectures
      from lectures l
        join sections s on s.school_id = l.school_id and s.id = l.section_id
        left join lecture_progress p on p.school_id = l.school_id and p.user_id = e.user_id
          and p.course_id = l.course_id and p.lecture_id = l.id
      where l.school_id = e.school_id and l.course_id = e.course_id) t
    where e.school_id = ${at.schoolId}`,
}

export const readProgress = readOperation({
  name: 'enrollments.progress',
  title: 'Read a student’s progress',
  summary: 'The progress of the student of an enrollment, lecture by lecture. It can only be read.',
  scopes: ['students:read'],
  of: progress,
  examples: [{ title: 'The progress of a student', input: { id: EXAMPLE.enrollment } }],
})
