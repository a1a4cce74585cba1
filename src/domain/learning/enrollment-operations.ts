import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { tell } from '../notifications/notify.ts'
import { count, dateOrNull, id, line, stamps, time, utc } from '../operation/fields.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { objectOperations } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { conflict, invalid } from '../operation/refusal.ts'
import { expansionOf, loadObject, type Resource } from '../operation/resource.ts'
import { checkRow, endsTooEarly, type RowRules } from '../operation/row-rules.ts'
import { personOf } from '../people/find-people.ts'
import { IS_ACTIVE, studentSchema, students } from '../people/member-resource.ts'
import { rolesAt } from '../people/membership.ts'
import { courseSchema, courses } from './course-operations.ts'

const ENROLLMENT_STATES = ['active', 'expired', 'revoked'] as const

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
  rows: (db) => sql`
    select e.id, e.user_id as student_id, e.course_id, e.source,
      case when ${IS_ACTIVE} then 'active'
           when e.revoked_at is null then 'expired' else 'revoked' end as state,
      e.enrolled_at, e.expires_at, e.revoked_at, e.last_watched_at,
      e.created_at, e.updated_at, e.version
    from enrollments e where e.school_id = ${db.schoolId}`,
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

export const enrollmentFields = {
  expires_at: time.nullable().default(null).meta({ description: 'Null means unlimited access.' }),
}

interface EnrollmentRow {
  readonly enrolled_at?: string | undefined
  readonly expires_at?: string | null | undefined
}

export const enrollmentRules: RowRules<EnrollmentRow> = [
  {
    field: 'expires_at',
    code: 'in_the_past',
    detail: 'Write a time in the future, or revoke the enrollment.',
    // A row without a start starts now.
    broken: ({ enrolled_at, expires_at }, _before, now) =>
      enrolled_at === undefined && expires_at != null && Date.parse(expires_at) <= now,
  },
  {
    field: 'expires_at',
    code: 'inconsistent',
    detail: 'An enrollment must end after it starts.',
    broken: ({ enrolled_at, expires_at }) => endsTooEarly(enrolled_at, expires_at),
  },
]

const READ = ['students:read']

/** On the columns that the state is made of, because indexes have these. */
const STATE_CONDITIONS = {
  active: sql`r.revoked_at is null and (r.expires_at is null or r.expires_at > now())`,
  expired: sql`r.revoked_at is null and r.expires_at <= now()`,
  revoked: sql`r.revoked_at is not null`,
} as const

const byState = filter(z.enum(ENROLLMENT_STATES), (state) => STATE_CONDITIONS[state])

const ops = objectOperations({
  of: enrollments,
  table: 'enrollments',
  one: 'an enrollment',
  scope: 'students',
  example: EXAMPLE.enrollment,
  once: { student_id: id, course_id: id },
  fields: enrollmentFields,
  rules: enrollmentRules,
})

export const listEnrollments = listOperation({
  ...ops.listed,
  summary: 'Enrollments of students in courses, and when access ends.',
  filters: {
    student_id: filter(id, (value) => sql`r.student_id = ${value}`),
    course_id: filter(id, (value) => sql`r.course_id = ${value}`),
    state: {
      schema: byState.schema.meta({
        description: 'Expired ones are sorted by the end of their access instead of its start.',
      }),
      where: byState.where,
      sortedBy: (state: unknown) => (state === 'expired' ? 'expires_at' : undefined),
    },
    search: searchIn(personOf('student_id')),
    ...timeFilters('enrolled_at'),
  },
  sorts: { enrolled_at: 'time' },
  defaultSort: '-enrolled_at',
  examples: [
    {
      title: 'The students of a course',
      input: { course_id: EXAMPLE.course, expand: ['student'] },
    },
  ],
})

export const listEnrollmentsOfStudent = listOperation({
  name: 'students.enrollments',
  title: 'List a student’s enrollments',
  summary: 'The enrollments of one student, expired and revoked ones included.',
  scopes: READ,
  of: enrollments,
  within: { student_id: id },
  checkParent: (db, caller, input) => loadObject(db, caller, students, input.student_id),
  filters: { state: byState },
  sorts: { enrolled_at: 'time', created_at: 'time', updated_at: 'time' },
  defaultSort: '-enrolled_at',
  examples: [{ title: 'The courses of a student', input: { student_id: EXAMPLE.student } }],
})

export const readEnrollment = ops.read({
  examples: [{ title: 'With its course', input: { id: EXAMPLE.enrollment, expand: ['course'] } }],
})

export const createEnrollment = ops.create({
  title: 'Enroll a student',
  summary:
    'Enrolls a student without a purchase. An expired or revoked enrollment becomes active again and keeps its id.',
  examples: [
    {
      title: 'Until a date',
      input: {
        student_id: EXAMPLE.student,
        course_id: EXAMPLE.draftCourse,
        expires_at: '2098-01-01T00:00:00Z',
      },
    },
    {
      title: 'Without an end date',
      input: { student_id: EXAMPLE.newcomer, course_id: EXAMPLE.course },
    },
  ],
  async create(tx, _caller, input) {
    const { student_id, course_id, expires_at } = input
    if (!(await rolesAt(tx, student_id)).includes('student')) {
      throw invalid(
        'student_id',
        'unknown_reference',
        'This person is not a student of this school.',
      )
    }
    checkRow(enrollmentRules, input)
    const { rows } = await tx.run(sql<{ id: string; course: string }>`
      insert into enrollments as e (school_id, id, course_id, user_id, source, expires_at)
      values (${tx.schoolId}, ${uuidv7()}, ${course_id}, ${student_id}, 'grant', ${dateOrNull(expires_at)})
      on conflict (school_id, user_id, course_id) do update
        set revoked_at = null, expires_at = excluded.expires_at, source = 'grant'
        where not (${IS_ACTIVE})
      returning id, (select title from courses c where c.school_id = e.school_id and c.id = e.course_id) as course`)
    const [made] = rows
    if (made !== undefined) {
      const until = expires_at ?? null
      await tell(tx, 'course_enrolled', [student_id], { course: made.course, until })
      return made.id
    }
    throw conflict(
      'already_enrolled',
      'The student is already enrolled in this course. Change the enrollment to extend it.',
    )
  },
})

export const changeEnrollment = ops.change({
  title: 'Extend an enrollment',
  summary: 'Sets when access ends; null means unlimited access.',
  examples: [
    { title: 'A later end', input: { id: EXAMPLE.enrollment, expires_at: '2099-01-01T00:00:00Z' } },
    { title: 'Without an end date', input: { id: EXAMPLE.enrollment, expires_at: null } },
  ],
  async change(tx, caller, { expires_at, ...named }) {
    // Here access must end in the future; an import may contain enrollments that ended long ago.
    checkRow(enrollmentRules, { expires_at })
    await ops.check(tx, caller, named, { expires_at })
    await ops.update(tx, named, { expires_at })
  },
})

export const revokeEnrollment = ops.move('revoke', {
  summary:
    'Ends access at once. Progress is kept, and is there again if the student is enrolled again.',
  examples: [{ title: 'Revoke access', input: { id: EXAMPLE.enrollment } }],
  to: {
    revoked_at: sql`coalesce(revoked_at, now())`,
  },
})

/** Returns the ids without repetitions; refuses if one of them is not a course of this school. */
export async function checkCourses(
  tx: SchoolTx,
  field: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const unique = [...new Set(ids)]
  const { rows } = await tx.run(sql`
    select 1 from courses where school_id = ${tx.schoolId} and id = any(${unique}::uuid[])`)
  if (rows.length === unique.length) return unique
  throw invalid(field, 'unknown_reference', 'One of these is not a course of this school.')
}

export const enrollmentOperations = {
  list: listEnrollments,
  read: readEnrollment,
  create: createEnrollment,
  change: changeEnrollment,
  revoke: revokeEnrollment,
}
