import { analyticsOperations } from '../../../domain/analytics/analytics-operations.ts'
import { recountAnalytics } from '../../../domain/analytics/recount.ts'
import { EXPORT_SCOPES, startExportJob } from '../../../domain/catalogue/transfer-operations.ts'
import { couponOperations } from '../../../domain/commerce/coupon-operations.ts'
import { orderOperations } from '../../../domain/commerce/order-operations.ts'
import { planOperations } from '../../../domain/commerce/plan-operations.ts'
import { productOperations } from '../../../domain/commerce/product-operations.ts'
import { subscriptionOperations } from '../../../domain/commerce/subscription-operations.ts'
import { formOperations, submissionOperations } from '../../../domain/content/form-operations.ts'
import { pageOperations, postOperations } from '../../../domain/content/writing-operations.ts'
import { eventOperations } from '../../../domain/events/event-operations.ts'
import { registrationOperations } from '../../../domain/events/registration-operations.ts'
import { jobOperations } from '../../../domain/jobs/job-operations.ts'
import { commentOperations } from '../../../domain/learning/comment-operations.ts'
import { courseOperations } from '../../../domain/learning/course-operations.ts'
import { enrollmentOperations } from '../../../domain/learning/enrollment-operations.ts'
import { lectureOperations } from '../../../domain/learning/lecture-operations.ts'
import { lecturerOperations } from '../../../domain/learning/lecturer-operations.ts'
import { readProgress } from '../../../domain/learning/progress-operations.ts'
import {
  curriculumOperations,
  sectionOperations,
} from '../../../domain/learning/section-operations.ts'
import type { Operation } from '../../../domain/operation/operation.ts'
import { memberOperations } from '../../../domain/people/member-operations.ts'
import { studentOperations } from '../../../domain/people/student-operations.ts'
import { appearanceOperations } from '../../../domain/schools/appearance-operations.ts'
import { schoolOperations } from '../../../domain/schools/school-operations.ts'
import type { Tool } from '../tool.ts'
import { operationTool } from './operation-tool.ts'

type Operations = Readonly<Record<string, Operation>>

function readsOf(...resources: readonly Operations[]): readonly Operation[] {
  return resources.flatMap(Object.values<Operation>).filter(({ kind }) => kind === 'read')
}

function writesOf(...resources: readonly Operations[]): readonly Operation[] {
  return resources.flatMap(Object.values<Operation>).filter(({ kind }) => kind !== 'read')
}

const PEOPLE_TOOLS: readonly Tool[] = [
  operationTool({
    name: 'read_people',
    title: 'Look at people',
    description:
      'Students, their enrollments and progress, and all people who hold a role. Personal data: show it only to the operator who asked. Reads only.',
    changedBy: ['change_people'],
    operations: [
      ...readsOf(studentOperations, enrollmentOperations),
      readProgress,
      ...readsOf(memberOperations),
    ],
  }),
  operationTool({
    name: 'change_people',
    title: 'Change who may do what',
    description:
      'Adds and removes students and members, sets roles, grants, changes and revokes enrollments. Takes effect at once, for the person concerned.',
    operations: writesOf(studentOperations, enrollmentOperations, memberOperations),
  }),
]

const PUBLISHING_TOOLS: readonly Tool[] = [
  operationTool({
    name: 'read_events',
    title: 'Look at events',
    description: 'Events in every state, and who registered for them. Reads only.',
    changedBy: ['change_events'],
    operations: readsOf(eventOperations, registrationOperations),
  }),
  operationTool({
    name: 'change_events',
    title: 'Change events',
    description:
      'Creates, changes, publishes, cancels and removes events, registers members and marks them as attended. Takes effect at once, for all visitors.',
    operations: writesOf(eventOperations, registrationOperations),
  }),
  operationTool({
    name: 'read_publishing',
    title: 'Look at texts and forms',
    description: 'Posts and pages, drafts included, and forms with what was submitted. Reads only.',
    changedBy: ['change_publishing'],
    operations: readsOf(postOperations, pageOperations, formOperations, submissionOperations),
  }),
  operationTool({
    name: 'change_publishing',
    title: 'Change texts',
    description:
      'Writes, changes, publishes, unpublishes and removes posts and pages. Published texts are public at once; removed texts cannot be restored.',
    operations: writesOf(postOperations, pageOperations),
  }),
]

const SALES_TOOLS: readonly Tool[] = [
  operationTool({
    name: 'read_sales',
    title: 'Look at sales',
    description:
      'Orders with their payments, coupons, membership plans, subscriptions and digital products. Reads only.',
    changedBy: ['change_sales'],
    operations: readsOf(
      orderOperations,
      couponOperations,
      planOperations,
      subscriptionOperations,
      productOperations,
    ),
  }),
  operationTool({
    name: 'change_sales',
    title: 'Change what is sold',
    description:
      'Creates, changes, publishes, archives and removes coupons, membership plans and digital products; cancels and resumes subscriptions. Takes effect at once; no money is moved.',
    operations: writesOf(
      couponOperations,
      planOperations,
      productOperations,
      subscriptionOperations,
    ),
  }),
]

const SCHOOL_TOOLS: readonly Tool[] = [
  operationTool({
    name: 'read_school',
    title: 'Look at the school',
    description:
      'Settings, appearance, and the figures: revenue, enrollments, active learners and completion. Reads only.',
    changedBy: ['change_school'],
    operations: readsOf(schoolOperations, appearanceOperations, analyticsOperations),
  }),
  operationTool({
    name: 'change_school',
    title: 'Change the school',
    description:
      'Changes the school’s name, texts, settings and colors. Takes effect at once, on every page.',
    operations: writesOf(schoolOperations, appearanceOperations),
  }),
  operationTool({
    name: 'background_work',
    title: 'Long work in the background',
    description:
      'Starts an export of all objects of a kind or a new count of the figures, tells how far a job is and what came of it, and cancels one. A start answers at once, with the id of the job: ask jobs.read every few seconds until its state is done, failed or cancelled.',
    operations: [startExportJob, recountAnalytics, ...Object.values(jobOperations)],
    openedBy: [...EXPORT_SCOPES, 'analytics:read'],
  }),
]

const TEACHING_TOOLS: readonly Tool[] = [
  operationTool({
    name: 'read_teaching',
    title: 'Look at what is taught',
    description:
      'Courses in every state, their sections and lectures, lecturers, and comments under lectures, as the school’s staff sees them. Reads only.',
    changedBy: ['change_teaching'],
    operations: readsOf(
      courseOperations,
      curriculumOperations,
      sectionOperations,
      lectureOperations,
      lecturerOperations,
      commentOperations,
    ),
  }),
  operationTool({
    name: 'change_teaching',
    title: 'Change what is taught',
    description:
      'Creates, changes, publishes, archives and removes courses, sections, lectures and lecturers. Takes effect at once, for all visitors; removed objects cannot be restored.',
    operations: writesOf(
      courseOperations,
      curriculumOperations,
      sectionOperations,
      lectureOperations,
      lecturerOperations,
    ),
  }),
]

/** For owners and admins: the operations of the REST API, grouped by what people set out to do. */
export const OPERATOR_TOOLS: readonly Tool[] = [
  ...TEACHING_TOOLS,
  ...PEOPLE_TOOLS,
  ...SALES_TOOLS,
  ...PUBLISHING_TOOLS,
  ...SCHOOL_TOOLS,
]
