import { analyticsOperations } from '../../domain/analytics/analytics-operations.ts'
import { recountAnalytics } from '../../domain/analytics/recount.ts'
import { couponOperations } from '../../domain/commerce/coupon-operations.ts'
import { orderOperations } from '../../domain/commerce/order-operations.ts'
import { planOperations } from '../../domain/commerce/plan-operations.ts'
import { productOperations } from '../../domain/commerce/product-operations.ts'
import { subscriptionOperations } from '../../domain/commerce/subscription-operations.ts'
import { formOperations, submissionOperations } from '../../domain/content/form-operations.ts'
import { pageOperations, postOperations } from '../../domain/content/writing-operations.ts'
import { eventOperations } from '../../domain/events/event-operations.ts'
import { registrationOperations } from '../../domain/events/registration-operations.ts'
import { jobOperations } from '../../domain/jobs/job-operations.ts'
import { commentOperations } from '../../domain/learning/comment-operations.ts'
import { courseOperations } from '../../domain/learning/course-operations.ts'
import {
  enrollmentOperations,
  listEnrollmentsOfStudent,
} from '../../domain/learning/enrollment-operations.ts'
import { lectureOperations } from '../../domain/learning/lecture-operations.ts'
import { lecturerOperations } from '../../domain/learning/lecturer-operations.ts'
import { readProgress } from '../../domain/learning/progress-operations.ts'
import {
  curriculumOperations,
  sectionOperations,
} from '../../domain/learning/section-operations.ts'
import {
  type Operation,
  type ReadOperation,
  restPathOf,
  type WriteOperation,
} from '../../domain/operation/operation.ts'
import { memberOperations } from '../../domain/people/member-operations.ts'
import { studentOperations } from '../../domain/people/student-operations.ts'
import { appearanceOperations } from '../../domain/schools/appearance-operations.ts'
import { schoolOperations } from '../../domain/schools/school-operations.ts'
import type { Method, Route } from './route.ts'

/** Every address of the REST API that needs the scopes of its operation. */
export const ROUTES: readonly Route[] = [
  ...routesOf(courseOperations),
  ...routesOf(curriculumOperations),
  ...routesOf(sectionOperations, '/courses/{course_id}/sections'),
  ...routesOf(lectureOperations, '/sections/{section_id}/lectures'),
  ...routesOf(studentOperations),
  {
    method: 'GET',
    path: '/students/{student_id}/enrollments',
    operation: listEnrollmentsOfStudent,
  },
  ...routesOf(enrollmentOperations),
  ...routesOf({ read: readProgress }),
  ...routesOf(memberOperations),
  ...routesOf(lecturerOperations),
  ...routesOf(commentOperations),
  ...routesOf(orderOperations),
  ...routesOf(couponOperations),
  ...routesOf(planOperations),
  ...routesOf(subscriptionOperations),
  ...routesOf(productOperations),
  ...routesOf(eventOperations),
  ...routesOf(registrationOperations, '/events/{event_id}/registrations'),
  ...routesOf(postOperations),
  ...routesOf(pageOperations),
  ...routesOf(formOperations),
  ...routesOf(submissionOperations, '/forms/{form_id}/submissions'),
  ...routesOf(schoolOperations),
  ...routesOf(appearanceOperations),
  ...Object.entries(analyticsOperations).flatMap(([name, operation]) =>
    routeTo('GET', `/analytics/${name}`, operation),
  ),
]

/** Jobs: the rows decide which scopes a token needs. */
export const JOB_ROUTES: readonly Route[] = [
  ...routesOf(jobOperations),
  { method: 'POST', path: '/analytics/recount', operation: recountAnalytics },
]

/** The operations of one resource. All names except these five are actions on one object. */
interface ResourceOperations {
  readonly list?: ReadOperation
  readonly create?: WriteOperation
  readonly read: ReadOperation
  readonly change?: WriteOperation
  readonly remove?: WriteOperation
  readonly [action: string]: Operation | undefined
}

/**
 * The routes of a resource, at the path that the resource states. `listPath` is that of its list,
 * if the list belongs to an object of another resource.
 */
function routesOf(operations: ResourceOperations, listPath?: string): readonly Route[] {
  const { list, create, read, change, remove, ...actions } = operations
  const one = restPathOf(read)
  const all = listPath ?? one.replace('/{id}', '')
  return [
    ...routeTo('GET', all, list),
    ...routeTo('POST', all, create),
    ...routeTo('GET', one, read),
    ...routeTo('PATCH', one, change),
    ...routeTo('DELETE', one, remove),
    ...Object.entries(actions).flatMap(([name, operation]) =>
      routeTo('POST', `${one}/${name}`, operation),
    ),
  ]
}

function routeTo(method: Method, path: string, operation: Operation | undefined): readonly Route[] {
  return operation === undefined ? [] : [{ method, path, operation }]
}
