import { sql } from 'kysely'
import { z } from 'zod'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import { checkChange } from '../operation/check-change.ts'
import { EXAMPLE } from '../operation/example-ids.ts'
import { dateOrNull, id } from '../operation/fields.ts'
import { personOf } from '../operation/found-first.ts'
import { filter, timeFilters } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { searchIn } from '../operation/list-search.ts'
import { changeOperation, createOperation, readOperation } from '../operation/object-operations.ts'
import { conflict, invalid } from '../operation/refusal.ts'
import { loadObject } from '../operation/resource.ts'
import { checkRow } from '../operation/row-rules.ts'
import { writing } from '../operation/writing.ts'
import { students } from '../people/member-resource.ts'
import { rolesAt } from '../people/membership.ts'
import { IS_ACTIVE } from './active-enrollment.ts'
import { ENROLLMENT_STATES, enrollments } from './enrollment-resource.ts'
import { enrollmentFields, enrollmentRules } from './enrollment-rules.ts'

const READ = ['students:read']
const WRITE = ['students:write']

/** On the columns that the state is made of, because indexes have these. */
const STATE_CONDITIONS = {
  active: sql`r.revoked_at is null and (r.expires_at is null or r.expires_at > now())`,
  expired: sql`r.revoked_at is null and r.expires_at <= now()`,
  revoked: sql`r.revoked_at is not null`,
} as const

const byState = filter(z.enum(ENROLLMENT_STATES), (state) => STATE_CONDITIONS[state])

export const listEnrollments = listOperation({
  name: 'enrollments.list',
  title: 'List enrollments',
  summary: 'Enrollments of students in courses, and when access ends.',
  scopes: READ,
  of: enrollments,
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
  checkParent: (at, caller, input) => loadObject(at, caller, students, input.student_id),
  filters: { state: byState },
  sorts: { enrolled_at: 'time', created_at: 'time', updated_at: 'time' },
  defaultSort: '-enrolled_at',
  examples: [{ title: 'The courses of a student', input: { student_id: EXAMPLE.student } }],
})

export const readEnrollment = readOperation({
  name: 'enrollments.read',
  title: 'Read an enrollment',
  summary: 'One enrollment by its id.',
  scopes: READ,
  of: enrollments,
  examples: [{ title: 'With its course', input: { id: EXAMPLE.enrollment, expand: ['course'] } }],
})

export const createEnrollment = createOperation({
  name: 'enrollments.create',
  title: 'Enroll a student',
  summary:
    'Enrolls a student without a purchase. An expired or revoked enrollment becomes active again and keeps its id.',
  scopes: WRITE,
  of: enrollments,
  fields: {
    student_id: id,
    course_id: id,
    expires_at: enrollmentFields.expires_at
      .default(null)
      .meta({ description: 'Null means unlimited access.' }),
  },
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
    const { rows } = await tx.run(sql<{ id: string }>`
      insert into enrollments as e (school_id, id, course_id, user_id, source, expires_at)
      values (${tx.schoolId}, ${uuidv7()}, ${course_id}, ${student_id}, 'grant', ${dateOrNull(expires_at)})
      on conflict (school_id, user_id, course_id) do update
        set revoked_at = null, expires_at = excluded.expires_at, source = 'grant'
        where not (${IS_ACTIVE})
      returning id`)
    const made = rows[0]?.id
    if (made !== undefined) return made
    throw conflict(
      'already_enrolled',
      'The student is already enrolled in this course. Change the enrollment to extend it.',
    )
  },
})

const target = (enrollment: string, ifVersion: number | undefined) => ({
  object: 'enrollment',
  key: { id: enrollment },
  ifVersion,
})

export const changeEnrollment = changeOperation({
  name: 'enrollments.change',
  title: 'Extend an enrollment',
  summary: 'Sets when access ends; null means unlimited access.',
  scopes: WRITE,
  of: enrollments,
  fields: z.object(enrollmentFields).partial().shape,
  examples: [
    { title: 'A later end', input: { id: EXAMPLE.enrollment, expires_at: '2099-01-01T00:00:00Z' } },
    { title: 'Without an end date', input: { id: EXAMPLE.enrollment, expires_at: null } },
  ],
  async change(tx, caller, { id: enrollment, if_version, expires_at }) {
    // Here access must end in the future; an import may contain enrollments that ended long ago.
    checkRow(enrollmentRules, { expires_at })
    const row = ['enrollments', target(enrollment, if_version)] as const
    await checkChange(tx, caller, enrollments, enrollmentRules, row, { expires_at })
    await writing(tx).update(...row, { expires_at })
  },
})

export const revokeEnrollment = changeOperation({
  name: 'enrollments.revoke',
  title: 'Revoke an enrollment',
  summary:
    'Ends access at once. Progress is kept, and is there again if the student is enrolled again.',
  scopes: WRITE,
  of: enrollments,
  fields: {},
  examples: [{ title: 'Revoke access', input: { id: EXAMPLE.enrollment } }],
  async change(tx, _caller, { id: enrollment, if_version }) {
    await writing(tx).update('enrollments', target(enrollment, if_version), {
      revoked_at: sql`coalesce(revoked_at, now())`,
    })
  },
})
