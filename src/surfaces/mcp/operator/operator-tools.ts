import {
  readActiveLearners,
  readCompletion,
  readEnrollmentSeries,
  readRevenue,
} from '../../../domain/analytics/analytics-operations.ts'
import { recountAnalytics } from '../../../domain/analytics/recount.ts'
import { EXPORT_SCOPES, startExportJob } from '../../../domain/catalogue/transfer-operations.ts'
import {
  archiveCoupon,
  changeCoupon,
  createCoupon,
  listCoupons,
  readCoupon,
  removeCoupon,
} from '../../../domain/commerce/coupon-operations.ts'
import { listOrders, readOrder } from '../../../domain/commerce/order-operations.ts'
import {
  archivePlan,
  changePlan,
  createPlan,
  listPlans,
  publishPlan,
  readPlan,
} from '../../../domain/commerce/plan-operations.ts'
import {
  archiveProduct,
  changeProduct,
  createProduct,
  listProducts,
  publishProduct,
  readProduct,
  removeProduct,
} from '../../../domain/commerce/product-operations.ts'
import {
  cancelSubscription,
  listSubscriptions,
  readSubscription,
  resumeSubscription,
} from '../../../domain/commerce/subscription-operations.ts'
import {
  listForms,
  listSubmissions,
  readForm,
  readSubmission,
} from '../../../domain/content/form-operations.ts'
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
} from '../../../domain/content/writing-operations.ts'
import {
  cancelEvent,
  changeEvent,
  createEvent,
  listEvents,
  publishEvent,
  readEvent,
  removeEvent,
} from '../../../domain/events/event-operations.ts'
import {
  changeRegistration,
  createRegistration,
  listRegistrations,
  readRegistration,
} from '../../../domain/events/registration-operations.ts'
import { cancelJob, listJobs, readJob } from '../../../domain/jobs/job-operations.ts'
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
  changeEnrollment,
  createEnrollment,
  listEnrollments,
  readEnrollment,
  revokeEnrollment,
} from '../../../domain/learning/enrollment-operations.ts'
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
import { readProgress } from '../../../domain/learning/progress-operations.ts'
import {
  changeSection,
  createSection,
  listSections,
  readCurriculum,
  readSection,
  removeSection,
  reorderCurriculum,
} from '../../../domain/learning/section-operations.ts'
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
import { changeAppearance, readAppearance } from '../../../domain/schools/appearance-operations.ts'
import { changeSchool, readSchool } from '../../../domain/schools/school-operations.ts'
import type { Tool } from '../tool.ts'
import { operationTool } from './operation-tool.ts'

const PEOPLE_TOOLS: readonly Tool[] = [
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

const PUBLISHING_TOOLS: readonly Tool[] = [
  operationTool({
    name: 'read_events',
    title: 'Look at events',
    description: 'Events in every state, and who registered for them. Reads only.',
    changedBy: ['change_events'],
    operations: [listEvents, readEvent, listRegistrations, readRegistration],
  }),
  operationTool({
    name: 'change_events',
    title: 'Change events',
    description:
      'Creates, changes, publishes, cancels and removes events, registers members and marks them as attended. Takes effect at once, for all visitors.',
    operations: [
      createEvent,
      changeEvent,
      publishEvent,
      cancelEvent,
      removeEvent,
      createRegistration,
      changeRegistration,
    ],
  }),
  operationTool({
    name: 'read_publishing',
    title: 'Look at texts and forms',
    description: 'Posts and pages, drafts included, and forms with what was submitted. Reads only.',
    changedBy: ['change_publishing'],
    operations: [
      listPosts,
      readPost,
      listPages,
      readPage,
      listForms,
      readForm,
      listSubmissions,
      readSubmission,
    ],
  }),
  operationTool({
    name: 'change_publishing',
    title: 'Change texts',
    description:
      'Writes, changes, publishes, unpublishes and removes posts and pages. Published texts are public at once; removed texts cannot be restored.',
    operations: [
      createPost,
      changePost,
      publishPost,
      unpublishPost,
      removePost,
      createPage,
      changePage,
      publishPage,
      unpublishPage,
      removePage,
    ],
  }),
]

const SALES_TOOLS: readonly Tool[] = [
  operationTool({
    name: 'read_sales',
    title: 'Look at sales',
    description:
      'Orders with their payments, coupons, membership plans, subscriptions and digital products. Reads only.',
    changedBy: ['change_sales'],
    operations: [
      listOrders,
      readOrder,
      listCoupons,
      readCoupon,
      listPlans,
      readPlan,
      listSubscriptions,
      readSubscription,
      listProducts,
      readProduct,
    ],
  }),
  operationTool({
    name: 'change_sales',
    title: 'Change what is sold',
    description:
      'Creates, changes, publishes, archives and removes coupons, membership plans and digital products; cancels and resumes subscriptions. Takes effect at once; no money is moved.',
    operations: [
      createCoupon,
      changeCoupon,
      archiveCoupon,
      removeCoupon,
      createPlan,
      changePlan,
      publishPlan,
      archivePlan,
      createProduct,
      changeProduct,
      publishProduct,
      archiveProduct,
      removeProduct,
      cancelSubscription,
      resumeSubscription,
    ],
  }),
]

const SCHOOL_TOOLS: readonly Tool[] = [
  operationTool({
    name: 'read_school',
    title: 'Look at the school',
    description:
      'Settings, appearance, and the figures: revenue, enrollments, active learners and completion. Reads only.',
    changedBy: ['change_school'],
    operations: [
      readSchool,
      readAppearance,
      readRevenue,
      readEnrollmentSeries,
      readActiveLearners,
      readCompletion,
    ],
  }),
  operationTool({
    name: 'change_school',
    title: 'Change the school',
    description:
      'Changes the school’s name, texts, settings and colors. Takes effect at once, on every page.',
    operations: [changeSchool, changeAppearance],
  }),
  operationTool({
    name: 'background_work',
    title: 'Long work in the background',
    description:
      'Starts an export of all objects of a kind or a new count of the figures, tells how far a job is and what came of it, and cancels one. A start answers at once, with the id of the job: ask jobs.read every few seconds until its state is done, failed or cancelled.',
    operations: [startExportJob, recountAnalytics, listJobs, readJob, cancelJob],
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

/** For owners and admins: the operations of the REST API, grouped by what people set out to do. */
export const OPERATOR_TOOLS: readonly Tool[] = [
  ...TEACHING_TOOLS,
  ...PEOPLE_TOOLS,
  ...SALES_TOOLS,
  ...PUBLISHING_TOOLS,
  ...SCHOOL_TOOLS,
]
