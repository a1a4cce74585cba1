import { sql } from 'kysely'
import { id } from '../operation/fields.ts'
import { keyFilter } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { createOperation, readOperation, removeOperation } from '../operation/object-operations.ts'
import { EXAMPLE } from '../operation/operation.ts'
import { notFound } from '../operation/refusal.ts'
import { addedPerson, checkMember, personFilters } from './member-operations.ts'
import { IS_ACTIVE, students, writtenStudents } from './member-resource.ts'
import { addMember, changeRoles } from './member-roles.ts'
import { rolesAt } from './membership.ts'

const READ = ['students:read']
const WRITE = ['students:write']

const ANY_ENROLLMENT = sql<boolean>`true`

/** In the order of people's ids, which is that of their accounts. */
const enrolledIn = (which: typeof IS_ACTIVE) =>
  keyFilter(
    id,
    (course, db, isBeyond) => sql`
    exists (select from enrollments e
            where e.school_id = ${db.schoolId} and e.user_id = r.id and e.course_id = ${course} and ${which}
              and ${isBeyond(sql`e.user_id`)})`,
  )

export const listStudents = listOperation({
  name: 'students.list',
  title: 'List students',
  summary: 'All people who hold the student role at this school.',
  scopes: READ,
  of: students,
  filters: {
    ...personFilters,
    enrolled_in: enrolledIn(IS_ACTIVE),
    ever_enrolled_in: enrolledIn(ANY_ENROLLMENT),
  },
  sorts: { joined_at: 'time' },
  defaultSort: '-joined_at',
  examples: [{ title: 'Students of a course', input: { enrolled_in: EXAMPLE.course } }],
})

export const readStudent = readOperation({
  name: 'students.read',
  title: 'Read a student',
  summary: 'One student by their id.',
  scopes: READ,
  of: students,
  examples: [{ title: 'A student', input: { id: EXAMPLE.student } }],
})

export const createStudent = createOperation({
  name: 'students.create',
  title: 'Add a student',
  summary:
    'Gives the student role to the person with this email. The answer does not show whether they already had an account.',
  scopes: WRITE,
  of: writtenStudents,
  queuesMail: 'maybe',
  fields: addedPerson,
  examples: [{ title: 'A student', input: { email: 'kit@example.test', name: 'Kit Example' } }],
  create: (tx, caller, input) => addMember(tx, { ...input, roles: ['student'] }, caller),
})

export const removeStudent = removeOperation({
  name: 'students.remove',
  title: 'Remove a student',
  summary: 'Removes the student role. Other roles, the account and purchases stay.',
  needsProof: () => true,
  scopes: WRITE,
  of: writtenStudents,
  examples: [{ title: 'A student leaves', input: { id: EXAMPLE.student } }],
  async remove(tx, caller, { id: userId, if_version }) {
    await checkMember(tx, userId, if_version)
    const roles = await rolesAt(tx, userId)
    if (!roles.includes('student')) throw notFound('student')
    const others = roles.filter((role) => role !== 'student')
    await changeRoles(tx, userId, others, caller)
  },
})

export const studentOperations = {
  list: listStudents,
  read: readStudent,
  create: createStudent,
  remove: removeStudent,
}
