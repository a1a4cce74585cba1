import { sql } from 'kysely'
import { z } from 'zod'
import { count, id, line, stamps, utc } from '../operation/fields.ts'
import { expansionOf, type Resource } from '../operation/resource.ts'
import { studentSchema, students } from '../people/member-resource.ts'
import { IS_ACTIVE } from './active-enrollment.ts'
import { courseSchema, courses } from './course-resource.ts'

export const ENROLLMENT_STATES = ['active', 'expired', 'revoked'] as const

export const enrollmentSchema = z
  .strictObject({
    object: z.literal('enrollment'),
    id,
    student_id: id,
    course_id: id,
    source: z.enum(['purchase', 'plan', 'grant', 'import']),
    state: z.enum(ENROLLMENT_STATES),
    enrolled_at: utc,
    expires_at: utc.nullable().meta({ description: 'Null means unlimited access.' }),
    revoked_at: utc.nullable(),
    last_watched_at: utc.nullable(),
    ...stamps,
    student: studentSchema.nullable().optional(),
    course: courseSchema.nullable().optional(),
  })
  .meta({ id: 'Enrollment' })

export const enrollments: Resource<typeof enrollmentSchema> = {
  object: 'enrollment',
  restPath: '/enrollments/{id}',
  schema: enrollmentSchema,
  rows: (at) => sql`
    select e.id, e.user_id as student_id, e.course_id, e.source,
      case when ${IS_ACTIVE} then 'active'
           when e.revoked_at is null then 'expired' else 'revoked' end as state,
      e.enrolled_at, e.expires_at, e.revoked_at, e.last_watched_at,
      e.created_at, e.updated_at, e.version
    from enrollments e where e.school_id = ${at.schoolId}`,
  expansions: {
    student: expansionOf(students, 'student_id', ['students:read']),
    course: expansionOf(courses, 'course_id', ['courses:read']),
  },
}

export const progressSchema = z
  .strictObject({
    object: z.literal('progress'),
    id: id.meta({ description: 'The enrollment.' }),
    student_id: id.meta({ description: 'The student.' }),
    course_id: id,
    completed_lectures: count,
    total_lectures: count,
    percent: count.max(100),
    lectures: z.array(
      z.strictObject({
        lecture_id: id,
        title: line(300),
        state: z.enum(['unread', 'read', 'completed']),
        position_seconds: count,
        completed_at: utc.nullable(),
      }),
    ),
  })
  .meta({ id: 'Progress' })
