import { columnsOf, requireMembers } from '../bulk/columns.ts'
import { byEmail, byName } from '../bulk/reference-column.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { EXAMPLE } from '../operation/example-ids.ts'
import { id, time } from '../operation/fields.ts'
import { listEnrollments } from './enrollment-operations.ts'
import { enrollmentSchema, enrollments } from './enrollment-resource.ts'
import { enrollmentFields, enrollmentRules } from './enrollment-rules.ts'

export const enrollmentKind = tableKind({
  name: 'enrollments',
  about: 'Enrollments of students in courses.',
  of: enrollments,
  list: listEnrollments,
  scopes: { read: 'students:read', write: 'students:write' },
  example: { student_id: EXAMPLE.newcomer, course_slug: 'first' },
  table: 'enrollments',
  natural: ['student_id', 'course_id'],
  seek: ['student_id', 'course_id'],
  columns: {
    student_id: { schema: id, needed: true, fixed: true },
    course_id: { schema: id, needed: true, fixed: true },
    source: { schema: enrollmentSchema.shape.source, default: 'import' },
    enrolled_at: { schema: time, note: 'now by default' },
    ...columnsOf(enrollmentFields, { expires_at: { note: 'empty means unlimited access' } }),
    revoked_at: { schema: time.nullable() },
  },
  stored: { student_id: 'user_id' },
  independent: true,
  now: ['enrolled_at'],
  references: {
    student_email: byEmail('student_id'),
    course_slug: byName('course_id', { table: 'courses', by: 'slug' }),
  },
  rules: enrollmentRules,
  // Any role is enough: staff take courses too, and roles may change after the enrollment.
  inspect: (tx, rows) => requireMembers(tx, rows, 'student_id'),
})
