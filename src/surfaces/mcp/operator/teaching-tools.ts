import { listComments, readComment } from '../../../domain/learning/comment-operations.ts'
import {
  archiveCourse,
  changeCourse,
  createCourse,
  listCourses,
  publishCourse,
  readCourse,
  removeCourse,
} from '../../../domain/learning/course-operations.ts'
import {
  changeLecture,
  createLecture,
  listLectures,
  readLecture,
  removeLecture,
} from '../../../domain/learning/lecture-operations.ts'
import {
  changeLecturer,
  createLecturer,
  listLecturers,
  readLecturer,
  removeLecturer,
} from '../../../domain/learning/lecturer-operations.ts'
import {
  changeSection,
  createSection,
  listSections,
  readCurriculum,
  readSection,
  removeSection,
  reorderCurriculum,
} from '../../../domain/learning/section-operations.ts'
import type { Tool } from '../tool.ts'
import { operationTool } from './operation-tool.ts'

export const TEACHING_TOOLS: readonly Tool[] = [
  operationTool({
    name: 'read_teaching',
    title: 'Look at what is taught',
    description:
      'Courses in every state, their sections and lectures, lecturers, and comments under lectures, as the school’s staff sees them. Reads only.',
    changedBy: ['change_teaching'],
    operations: [
      listCourses,
      readCourse,
      readCurriculum,
      listSections,
      readSection,
      listLectures,
      readLecture,
      listLecturers,
      readLecturer,
      listComments,
      readComment,
    ],
  }),
  operationTool({
    name: 'change_teaching',
    title: 'Change what is taught',
    description:
      'Creates, changes, publishes, archives and removes courses, sections, lectures and lecturers. Takes effect at once, for all visitors; removed objects cannot be restored.',
    operations: [
      createCourse,
      changeCourse,
      publishCourse,
      archiveCourse,
      removeCourse,
      reorderCurriculum,
      createSection,
      changeSection,
      removeSection,
      createLecture,
      changeLecture,
      removeLecture,
      createLecturer,
      changeLecturer,
      removeLecturer,
    ],
  }),
]
