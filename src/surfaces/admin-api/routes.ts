import {
  archiveCourse,
  changeCourse,
  createCourse,
  listCourses,
  publishCourse,
  readCourse,
  removeCourse,
} from '../../domain/learning/course-operations.ts'
import type { Route } from './route.ts'

/** Every address of the REST API. */
export const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/courses', operation: listCourses },
  { method: 'POST', path: '/courses', operation: createCourse },
  { method: 'GET', path: '/courses/{id}', operation: readCourse },
  { method: 'PATCH', path: '/courses/{id}', operation: changeCourse },
  { method: 'DELETE', path: '/courses/{id}', operation: removeCourse },
  { method: 'POST', path: '/courses/{id}/publish', operation: publishCourse },
  { method: 'POST', path: '/courses/{id}/archive', operation: archiveCourse },
]
