import {
  archiveCourse,
  changeCourse,
  createCourse,
  listCourses,
  publishCourse,
  readCourse,
  removeCourse,
} from '../../../domain/learning/course-operations.ts'
import type { Tool } from '../tool.ts'
import { operationTool } from './operation-tool.ts'

/** For owners and admins: the operations of the REST API, grouped by what people set out to do. */
export const OPERATOR_TOOLS: readonly Tool[] = [
  operationTool({
    name: 'read_teaching',
    title: 'Look at what is taught',
    description: 'Courses in every state, as the school’s staff sees them. Reads only.',
    operations: [listCourses, readCourse],
  }),
  operationTool({
    name: 'change_teaching',
    title: 'Change what is taught',
    description:
      'Creates, changes, publishes, archives and removes courses. Changes the school at once, for everybody.',
    operations: [createCourse, changeCourse, publishCourse, archiveCourse, removeCourse],
  }),
]
