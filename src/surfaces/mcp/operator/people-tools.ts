import {
  changeEnrollment,
  createEnrollment,
  listEnrollments,
  readEnrollment,
  revokeEnrollment,
} from '../../../domain/learning/enrollment-operations.ts'
import { readProgress } from '../../../domain/learning/progress-operations.ts'
import {
  changeMember,
  createMember,
  listMembers,
  readMember,
  removeMember,
} from '../../../domain/people/member-operations.ts'
import {
  createStudent,
  listStudents,
  readStudent,
  removeStudent,
} from '../../../domain/people/student-operations.ts'
import type { Tool } from '../tool.ts'
import { operationTool } from './operation-tool.ts'

export const PEOPLE_TOOLS: readonly Tool[] = [
  operationTool({
    name: 'read_people',
    title: 'Look at people',
    description:
      'Students, their enrollments and progress, and all people who hold a role. Personal data: show it only to the operator who asked. Reads only.',
    changedBy: ['change_people'],
    operations: [
      listStudents,
      readStudent,
      listEnrollments,
      readEnrollment,
      readProgress,
      listMembers,
      readMember,
    ],
  }),
  operationTool({
    name: 'change_people',
    title: 'Change who may do what',
    description:
      'Adds and removes students and members, sets roles, grants, changes and revokes enrollments. Takes effect at once, for the person concerned.',
    operations: [
      createStudent,
      removeStudent,
      createEnrollment,
      changeEnrollment,
      revokeEnrollment,
      createMember,
      changeMember,
      removeMember,
    ],
  }),
]
