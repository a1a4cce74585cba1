import {
  readActiveLearners,
  readCompletion,
  readEnrollmentSeries,
  readRevenue,
} from '../../domain/analytics/analytics-operations.ts'
import { recountAnalytics } from '../../domain/analytics/recount.ts'
import {
  archiveCoupon,
  changeCoupon,
  createCoupon,
  listCoupons,
  readCoupon,
  removeCoupon,
} from '../../domain/commerce/coupon-operations.ts'
import { listOrders, readOrder } from '../../domain/commerce/order-operations.ts'
import {
  archivePlan,
  changePlan,
  createPlan,
  listPlans,
  publishPlan,
  readPlan,
} from '../../domain/commerce/plan-operations.ts'
import {
  archiveProduct,
  changeProduct,
  createProduct,
  listProducts,
  publishProduct,
  readProduct,
  removeProduct,
} from '../../domain/commerce/product-operations.ts'
import {
  cancelSubscription,
  listSubscriptions,
  readSubscription,
  resumeSubscription,
} from '../../domain/commerce/subscription-operations.ts'
import {
  listForms,
  listSubmissions,
  readForm,
  readSubmission,
} from '../../domain/content/form-operations.ts'
import {
  changePage,
  changePost,
  createPage,
  createPost,
  listPages,
  listPosts,
  publishPage,
  publishPost,
  readPage,
  readPost,
  removePage,
  removePost,
  unpublishPage,
  unpublishPost,
} from '../../domain/content/writing-operations.ts'
import {
  cancelEvent,
  changeEvent,
  createEvent,
  listEvents,
  publishEvent,
  readEvent,
  removeEvent,
} from '../../domain/events/event-operations.ts'
import {
  changeRegistration,
  createRegistration,
  listRegistrations,
  readRegistration,
} from '../../domain/events/registration-operations.ts'
import { cancelJob, listJobs, readJob } from '../../domain/jobs/job-operations.ts'
import { listComments, readComment } from '../../domain/learning/comment-operations.ts'
import {
  archiveCourse,
  changeCourse,
  createCourse,
  listCourses,
  publishCourse,
  readCourse,
  removeCourse,
} from '../../domain/learning/course-operations.ts'
import {
  changeEnrollment,
  createEnrollment,
  listEnrollments,
  listEnrollmentsOfStudent,
  readEnrollment,
  revokeEnrollment,
} from '../../domain/learning/enrollment-operations.ts'
import {
  changeLecture,
  createLecture,
  listLectures,
  readLecture,
  removeLecture,
} from '../../domain/learning/lecture-operations.ts'
import {
  changeLecturer,
  createLecturer,
  listLecturers,
  readLecturer,
  removeLecturer,
} from '../../domain/learning/lecturer-operations.ts'
import { readProgress } from '../../domain/learning/progress-operations.ts'
import {
  changeSection,
  createSection,
  listSections,
  readCurriculum,
  readSection,
  removeSection,
  reorderCurriculum,
} from '../../domain/learning/section-operations.ts'
import {
  type Operation,
  type ReadOperation,
  restPathOf,
  type WriteOperation,
} from '../../domain/operation/operation.ts'
import {
  changeMember,
  createMember,
  listMembers,
  readMember,
  removeMember,
} from '../../domain/people/member-operations.ts'
import {
  createStudent,
  listStudents,
  readStudent,
  removeStudent,
} from '../../domain/people/student-operations.ts'
import { changeAppearance, readAppearance } from '../../domain/schools/appearance-operations.ts'
import { changeSchool, readSchool } from '../../domain/schools/school-operations.ts'
import type { Method, Route } from './route.ts'

/** Every address of the REST API that needs the scopes of its operation. */
export const ROUTES: readonly Route[] = [
  ...routesOf({
    list: listCourses,
    create: createCourse,
    read: readCourse,
    change: changeCourse,
    remove: removeCourse,
    publish: publishCourse,
    archive: archiveCourse,
  }),
  ...routesOf({ read: readCurriculum, reorder: reorderCurriculum }),
  ...routesUnder(readCourse, '{course_id}/sections', { list: listSections, create: createSection }),
  ...routesOf({ read: readSection, change: changeSection, remove: removeSection }),
  ...routesUnder(readSection, '{section_id}/lectures', {
    list: listLectures,
    create: createLecture,
  }),
  ...routesOf({ read: readLecture, change: changeLecture, remove: removeLecture }),
  ...routesOf({
    list: listStudents,
    create: createStudent,
    read: readStudent,
    remove: removeStudent,
  }),
  ...routesUnder(readStudent, '{student_id}/enrollments', { list: listEnrollmentsOfStudent }),
  ...routesOf({
    list: listEnrollments,
    create: createEnrollment,
    read: readEnrollment,
    change: changeEnrollment,
    revoke: revokeEnrollment,
  }),
  ...routesOf({ read: readProgress }),
  ...routesOf({
    list: listMembers,
    create: createMember,
    read: readMember,
    change: changeMember,
    remove: removeMember,
  }),
  ...routesOf({
    list: listLecturers,
    create: createLecturer,
    read: readLecturer,
    change: changeLecturer,
    remove: removeLecturer,
  }),
  ...routesOf({ list: listComments, read: readComment }),
  ...routesOf({ list: listOrders, read: readOrder }),
  ...routesOf({
    list: listCoupons,
    create: createCoupon,
    read: readCoupon,
    change: changeCoupon,
    remove: removeCoupon,
    archive: archiveCoupon,
  }),
  ...routesOf({
    list: listPlans,
    create: createPlan,
    read: readPlan,
    change: changePlan,
    publish: publishPlan,
    archive: archivePlan,
  }),
  ...routesOf({
    list: listSubscriptions,
    read: readSubscription,
    cancel: cancelSubscription,
    resume: resumeSubscription,
  }),
  ...routesOf({
    list: listProducts,
    create: createProduct,
    read: readProduct,
    change: changeProduct,
    remove: removeProduct,
    publish: publishProduct,
    archive: archiveProduct,
  }),
  ...routesOf({
    list: listEvents,
    create: createEvent,
    read: readEvent,
    change: changeEvent,
    remove: removeEvent,
    publish: publishEvent,
    cancel: cancelEvent,
  }),
  ...routesUnder(readEvent, '{event_id}/registrations', {
    list: listRegistrations,
    create: createRegistration,
  }),
  ...routesOf({ read: readRegistration, change: changeRegistration }),
  ...routesOf({
    list: listPosts,
    create: createPost,
    read: readPost,
    change: changePost,
    remove: removePost,
    publish: publishPost,
    unpublish: unpublishPost,
  }),
  ...routesOf({
    list: listPages,
    create: createPage,
    read: readPage,
    change: changePage,
    remove: removePage,
    publish: publishPage,
    unpublish: unpublishPage,
  }),
  ...routesOf({ list: listForms, read: readForm }),
  ...routesUnder(readForm, '{form_id}/submissions', { list: listSubmissions }),
  ...routesOf({ read: readSubmission }),
  ...routesOf({ read: readSchool, change: changeSchool }),
  ...routesOf({ read: readAppearance, change: changeAppearance }),
  { method: 'GET', path: '/analytics/revenue', operation: readRevenue },
  { method: 'GET', path: '/analytics/enrollments', operation: readEnrollmentSeries },
  { method: 'GET', path: '/analytics/active-learners', operation: readActiveLearners },
  { method: 'GET', path: '/analytics/completion', operation: readCompletion },
]

/** Jobs: the rows decide which scopes a token needs. */
export const JOB_ROUTES: readonly Route[] = [
  ...routesOf({ list: listJobs, read: readJob, cancel: cancelJob }),
  { method: 'POST', path: '/analytics/recount', operation: recountAnalytics },
]

interface Collection {
  readonly list?: ReadOperation
  readonly create?: WriteOperation
}

/** The operations of one resource. All names except these five are actions on one object. */
interface ResourceOperations extends Collection {
  readonly read: ReadOperation
  readonly change?: WriteOperation
  readonly remove?: WriteOperation
  readonly [action: string]: Operation | undefined
}

/** The routes of a resource, at the path that the resource states. */
function routesOf(operations: ResourceOperations): readonly Route[] {
  const { list: _list, create: _create, read, change, remove, ...actions } = operations
  const one = restPathOf(read)
  return [
    ...collectionAt(collectionOf(one), operations),
    ...routeTo('GET', one, read),
    ...routeTo('PATCH', one, change),
    ...routeTo('DELETE', one, remove),
    ...Object.entries(actions).flatMap(([name, operation]) =>
      routeTo('POST', `${one}/${name}`, operation),
    ),
  ]
}

/** A list that belongs to an object of another resource. */
function routesUnder(
  parent: ReadOperation,
  path: string,
  operations: Collection,
): readonly Route[] {
  return collectionAt(`${collectionOf(restPathOf(parent))}/${path}`, operations)
}

function collectionAt(path: string, { list, create }: Collection): readonly Route[] {
  return [...routeTo('GET', path, list), ...routeTo('POST', path, create)]
}

function routeTo(method: Method, path: string, operation: Operation | undefined): readonly Route[] {
  return operation === undefined ? [] : [{ method, path, operation }]
}

function collectionOf(path: string): string {
  return path.replace('/{id}', '')
}
