import { changeCoupon, createCoupon } from '../../../src/domain/commerce/coupon-operations.ts'
import { recordPayment } from '../../../src/domain/commerce/payment-operations.ts'
import { changePlan, createPlan } from '../../../src/domain/commerce/plan-operations.ts'
import { createProduct } from '../../../src/domain/commerce/product-operations.ts'
import { changeMeeting, createMeeting } from '../../../src/domain/consulting/meeting-operations.ts'
import { createService } from '../../../src/domain/consulting/service-operations.ts'
import { createSlot } from '../../../src/domain/consulting/slot-operations.ts'
import { createStudyGroup } from '../../../src/domain/consulting/study-group-operations.ts'
import { createForm, openForm } from '../../../src/domain/content/form-writing.ts'
import { pageOperations, postOperations } from '../../../src/domain/content/writing-operations.ts'
import { changeEvent, createEvent } from '../../../src/domain/events/event-operations.ts'
import { changeCourse, createCourse } from '../../../src/domain/learning/course-operations.ts'
import {
  changeEnrollment,
  createEnrollment,
} from '../../../src/domain/learning/enrollment-operations.ts'
import { changeLecture, createLecture } from '../../../src/domain/learning/lecture-operations.ts'
import { createLecturer } from '../../../src/domain/learning/lecturer-operations.ts'
import { markProgress } from '../../../src/domain/learning/progress-operations.ts'
import { createSection } from '../../../src/domain/learning/section-operations.ts'
import { sendNotification } from '../../../src/domain/notifications/notification-operations.ts'
import { EXAMPLE, type Operation } from '../../../src/domain/operation/operation.ts'
import { createMember } from '../../../src/domain/people/member-operations.ts'
import { createStudent } from '../../../src/domain/people/student-operations.ts'

/** As the examples name people. */
const STUDENT_EMAIL = `${EXAMPLE.student}@people.test`

const TOO_LONG = 'x'.repeat(301)

/** Few enough characters for every text, but more than 64 KiB in UTF-8. */
const HTTP = 'http://films.example/one.mp4'
const TOO_MANY_BYTES = 'é'.repeat(40_000)

type Values = Readonly<Record<string, unknown>>

/** A row that REST, import, tool and form refuse, and the refusal that all of them give. */
export interface BadRow {
  /** `/field code`, or the code of a conflict. */
  readonly refusal: string
  /** The row in a file. */
  readonly row: Values
  /** The operations that would write it, each with its input; by default the row itself. */
  readonly operations?: readonly (readonly [operation: Operation, input?: Values])[]
  /** The form of the admin area, with the typed values. */
  readonly form?: readonly [path: string, typed: Readonly<Record<string, string | string[]>>]
}

/**
 * Ids of a service with a meeting, a study group and a form without questions: the test creates
 * them.
 */
export const MADE = {
  service: '01981c5e-7c00-7000-8000-0000000ba001',
  group: '01981c5e-7c00-7000-8000-0000000ba002',
  meeting: '01981c5e-7c00-7000-8000-0000000ba003',
  emptyForm: '01981c5e-7c00-7000-8000-0000000ba004',
}

const [EARLY, LATE] = ['2099-01-01T09:00:00Z', '2099-01-02T09:00:00Z']
const PAST = '2020-01-01T00:00:00Z'
const BACKWARDS = { starts_at: LATE, ends_at: EARLY }
const TYPED_BACKWARDS = { starts_at: '2099-01-02T09:00', ends_at: '2099-01-01T09:00' }

const attempt = (values: Values, refusal: string): BadRow => {
  const row = {
    trade_no: 'bad',
    order_number: 'N-1',
    member_id: EXAMPLE.student,
    amount: 100,
    ...values,
  }
  return { refusal, row, operations: [[recordPayment]] }
}

const meeting = (values: Values, refusal: string): BadRow => {
  const input = { starts_at: EARLY, ends_at: LATE, ...values }
  return { refusal, row: { external_id: 'bad', ...input }, operations: [[createMeeting, input]] }
}

/** Bad rows by the name of their kind. */
export const BAD_ROWS: Readonly<Record<string, readonly BadRow[]>> = {
  members: [
    {
      refusal: '/roles too_small',
      row: { email: 'new@example.test', name: 'New', roles: [] },
      operations: [[createMember]],
      form: ['/admin/members/new', { email: 'new@example.test', name: 'New', roles: [] }],
    },
  ],
  students: [
    {
      refusal: '/email invalid_format',
      row: { email: 'nowhere', name: 'New' },
      operations: [[createStudent]],
      form: ['/admin/students/new', { email: 'nowhere', name: 'New' }],
    },
  ],
  lecturers: [
    {
      refusal: '/headline too_big',
      row: { id: EXAMPLE.newcomer, headline: TOO_LONG },
      operations: [[createLecturer, { member_id: EXAMPLE.newcomer, headline: TOO_LONG }]],
      form: [`/admin/lecturers/${EXAMPLE.lecturer}/edit`, { headline: TOO_LONG }],
    },
  ],
  courses: [
    {
      refusal: '/lecturer_ids repeated',
      row: { slug: 'bad', title: 'Bad', lecturer_ids: [EXAMPLE.lecturer, EXAMPLE.lecturer] },
      operations: [
        [createCourse],
        [changeCourse, { id: EXAMPLE.course, lecturer_ids: [EXAMPLE.lecturer, EXAMPLE.lecturer] }],
      ],
      form: [
        `/admin/courses/${EXAMPLE.course}/edit`,
        { lecturer_ids: [EXAMPLE.lecturer, EXAMPLE.lecturer] },
      ],
    },
    {
      refusal: '/price_amount too_small',
      row: { slug: 'bad', title: 'Bad', price_amount: -1 },
      operations: [[createCourse]],
    },
    { refusal: '/archived_at inconsistent', row: { slug: 'first', archived_at: PAST } },
    {
      refusal: '/description invalid',
      row: { slug: 'bad', title: 'Bad', description: TOO_MANY_BYTES },
      operations: [
        [createCourse],
        [changeCourse, { id: EXAMPLE.course, description: TOO_MANY_BYTES }],
      ],
      form: ['/admin/courses/new', { slug: 'bad', title: 'Bad', description: TOO_MANY_BYTES }],
    },
  ],
  sections: [
    {
      refusal: '/title too_big',
      row: { external_id: 'bad', course_id: EXAMPLE.course, title: TOO_LONG },
      operations: [[createSection, { course_id: EXAMPLE.course, title: TOO_LONG }]],
      form: [`/admin/sections/${EXAMPLE.section}/edit`, { title: TOO_LONG }],
    },
  ],
  lectures: [
    {
      refusal: '/unlock_at inconsistent',
      row: {
        external_id: 'bad',
        section_id: EXAMPLE.section,
        title: 'Bad',
        unlock_after_days: 1,
        unlock_at: EARLY,
      },
      operations: [
        [
          createLecture,
          { section_id: EXAMPLE.section, title: 'Bad', unlock_after_days: 1, unlock_at: EARLY },
        ],
        [changeLecture, { id: EXAMPLE.lecture, unlock_after_days: 1, unlock_at: EARLY }],
      ],
      form: [
        `/admin/lectures/${EXAMPLE.lecture}/edit`,
        { unlock_after_days: '1', unlock_at: '2099-01-01T09:00' },
      ],
    },
    {
      refusal: '/body invalid',
      row: { external_id: 'bad', section_id: EXAMPLE.section, title: 'Bad', body: TOO_MANY_BYTES },
      operations: [
        [createLecture, { section_id: EXAMPLE.section, title: 'Bad', body: TOO_MANY_BYTES }],
        [changeLecture, { id: EXAMPLE.lecture, body: TOO_MANY_BYTES }],
      ],
      form: [`/admin/lectures/${EXAMPLE.lecture}/edit`, { body: TOO_MANY_BYTES }],
    },
    {
      refusal: '/video_url invalid_format',
      row: { external_id: 'bad', section_id: EXAMPLE.section, title: 'Bad', video_url: HTTP },
      operations: [
        [createLecture, { section_id: EXAMPLE.section, title: 'Bad', video_url: HTTP }],
        [changeLecture, { id: EXAMPLE.lecture, video_url: HTTP }],
      ],
      form: [`/admin/lectures/${EXAMPLE.lecture}/edit`, { video_url: HTTP }],
    },
  ],
  enrollments: [
    {
      refusal: '/expires_at in_the_past',
      row: { student_id: EXAMPLE.newcomer, course_id: EXAMPLE.course, expires_at: PAST },
      operations: [
        [createEnrollment],
        [changeEnrollment, { id: EXAMPLE.enrollment, expires_at: PAST }],
      ],
      form: [`/admin/enrollments/${EXAMPLE.enrollment}/edit`, { expires_at: '2020-01-01T00:00' }],
    },
    {
      refusal: '/expires_at inconsistent',
      row: {
        student_id: EXAMPLE.newcomer,
        course_id: EXAMPLE.course,
        enrolled_at: LATE,
        expires_at: EARLY,
      },
    },
  ],
  progress: [
    {
      refusal: '/completed_at inconsistent',
      row: {
        student_id: EXAMPLE.student,
        lecture_id: EXAMPLE.secondLecture,
        state: 'read',
        completed_at: PAST,
      },
      operations: [[markProgress]],
    },
  ],
  comments: [
    {
      refusal: '/body too_small',
      row: {
        external_id: 'bad',
        lecture_id: EXAMPLE.lecture,
        author_id: EXAMPLE.student,
        body: '',
      },
    },
  ],
  coupons: [
    {
      refusal: '/percent_off inconsistent',
      row: { code: 'BAD', percent_off: 5, amount_off: 500 },
      operations: [[createCoupon]],
      form: ['/admin/coupons/new', { code: 'BAD', percent_off: '5', amount_off: '5' }],
    },
    {
      refusal: '/percent_off inconsistent',
      row: { code: 'BAD' },
      operations: [[createCoupon]],
      form: ['/admin/coupons/new', { code: 'BAD' }],
    },
    {
      refusal: '/currency inconsistent',
      row: { code: 'BAD', percent_off: 5, currency: 'USD' },
      operations: [[createCoupon]],
      form: ['/admin/coupons/new', { code: 'BAD', percent_off: '5', currency: 'USD' }],
    },
    {
      refusal: '/ends_at inconsistent',
      row: { code: 'BAD', percent_off: 5, ...BACKWARDS },
      operations: [[createCoupon], [changeCoupon, { id: EXAMPLE.coupon, ...BACKWARDS }]],
      form: [`/admin/coupons/${EXAMPLE.coupon}/edit`, TYPED_BACKWARDS],
    },
  ],
  'membership-plans': [
    {
      refusal: 'subscribed',
      row: { slug: 'studio', price_amount: 1 },
      operations: [[changePlan, { id: EXAMPLE.plan, price_amount: 1 }]],
      form: [`/admin/plans/${EXAMPLE.plan}/edit`, { price_amount: '0.01' }],
    },
    {
      refusal: '/interval required',
      row: { slug: 'bad', name: 'Bad', price_amount: 1 },
      operations: [[createPlan]],
      form: ['/admin/plans/new', { slug: 'bad', name: 'Bad', price_amount: '1', interval: '' }],
    },
  ],
  subscriptions: [
    {
      refusal: '/current_period_ends_at inconsistent',
      row: {
        external_id: 'bad',
        member_id: EXAMPLE.student,
        plan_id: EXAMPLE.plan,
        current_period_starts_at: LATE,
        current_period_ends_at: EARLY,
      },
    },
  ],
  'digital-products': [
    {
      refusal: '/slug invalid_format',
      row: { slug: 'Not a slug', title: 'Bad' },
      operations: [[createProduct]],
      form: ['/admin/products/new', { slug: 'Not a slug', title: 'Bad' }],
    },
    {
      refusal: '/description invalid',
      row: { slug: 'bad', title: 'Bad', description: TOO_MANY_BYTES },
      operations: [[createProduct]],
      form: ['/admin/products/new', { slug: 'bad', title: 'Bad', description: TOO_MANY_BYTES }],
    },
  ],
  'digital-product-accesses': [
    {
      refusal: '/granted_at invalid_format',
      row: { product_id: EXAMPLE.product, member_id: EXAMPLE.newcomer, granted_at: 'today' },
    },
  ],
  events: [
    {
      refusal: '/ends_at inconsistent',
      row: { slug: 'bad', title: 'Bad', ...BACKWARDS },
      operations: [
        [createEvent],
        [changeEvent, { id: EXAMPLE.event, ends_at: PAST }],
        [changeEvent, { id: EXAMPLE.event, ...BACKWARDS }],
      ],
      form: ['/admin/events/new', { slug: 'bad', title: 'Bad', ...TYPED_BACKWARDS }],
    },
    {
      refusal: '/description invalid',
      row: {
        slug: 'bad',
        title: 'Bad',
        starts_at: EARLY,
        ends_at: LATE,
        description: TOO_MANY_BYTES,
      },
      operations: [
        [createEvent],
        [changeEvent, { id: EXAMPLE.event, description: TOO_MANY_BYTES }],
      ],
      form: [`/admin/events/${EXAMPLE.event}/edit`, { description: TOO_MANY_BYTES }],
    },
  ],
  'event-registrations': [
    {
      refusal: '/canceled_at inconsistent',
      row: { event_id: EXAMPLE.event, member_id: EXAMPLE.newcomer, canceled_at: PAST },
    },
  ],
  orders: [
    {
      refusal: '/completed_at inconsistent',
      row: {
        number: 'BAD',
        member_id: EXAMPLE.student,
        state: 'open',
        total_amount: 1,
        completed_at: PAST,
      },
    },
  ],
  payments: [
    attempt({ paid_at: PAST }, '/paid_at inconsistent'),
    {
      ...attempt({ state: 'expired' }, '/expires_at inconsistent'),
      form: [
        '/admin/payments/new',
        {
          member_id: STUDENT_EMAIL,
          trade_no: 'bad',
          order_number: 'N-1',
          amount: '1',
          state: 'expired',
        },
      ],
    },
    attempt({ payment_type: 'credit_card', bank_code: '808' }, '/bank_code inconsistent'),
    attempt({ installment_count: 3 }, '/installment_amount inconsistent'),
    attempt({ state: 'refunded', refunding_state: 'none' }, '/refunding_state inconsistent'),
    attempt({ refunding_state: 'requested' }, '/refunding_state inconsistent'),
    attempt({ state: 'paid', refunded_amount: 1 }, '/refunded_amount inconsistent'),
    attempt({ state: 'paid', refunded_at: PAST }, '/refunded_at inconsistent'),
    attempt({ state: 'paid', refund_requested_at: PAST }, '/refund_requested_at inconsistent'),
  ],
  'consulting-services': [
    {
      refusal: '/title too_big',
      row: { external_id: 'bad', title: TOO_LONG },
      operations: [[createService, { title: TOO_LONG }]],
      form: ['/admin/services/new', { title: TOO_LONG }],
    },
  ],
  'consulting-slots': [
    {
      refusal: '/weekday too_big',
      row: {
        external_id: 'bad',
        service_id: MADE.service,
        weekday: 8,
        starts_at: '09:30',
        duration_minutes: 30,
      },
      operations: [
        [
          createSlot,
          { service_id: MADE.service, weekday: 8, starts_at: '09:30', duration_minutes: 30 },
        ],
      ],
    },
  ],
  'study-groups': [
    {
      refusal: '/name too_big',
      row: { external_id: 'bad', name: 'x'.repeat(201) },
      operations: [[createStudyGroup, { name: 'x'.repeat(201) }]],
      form: ['/admin/study-groups/new', { name: 'x'.repeat(201) }],
    },
  ],
  'consulting-meetings': [
    meeting({}, '/service_id one_of'),
    meeting({ service_id: MADE.service, study_group_id: MADE.group }, '/study_group_id one_of'),
    meeting({ study_group_id: MADE.group, state: 'scheduled' }, '/state study_group'),
    meeting({ study_group_id: MADE.group, state: 'canceled' }, '/state study_group'),
    meeting(
      { study_group_id: MADE.group, member_ids: [EXAMPLE.student] },
      '/member_ids study_group',
    ),
    {
      ...meeting({ service_id: MADE.service, ...BACKWARDS }, '/ends_at before_start'),
      operations: [
        [createMeeting, { service_id: MADE.service, ...BACKWARDS }],
        [changeMeeting, { id: MADE.meeting, ends_at: PAST }],
      ],
      form: [`/admin/meetings/${MADE.meeting}/edit`, TYPED_BACKWARDS],
    },
  ],
  posts: [
    {
      refusal: '/slug too_big',
      row: { slug: 'x'.repeat(121), title: 'Bad' },
      operations: [[postOperations.create]],
      form: ['/admin/posts/new', { slug: 'x'.repeat(121), title: 'Bad' }],
    },
    {
      refusal: '/body invalid',
      row: { slug: 'bad', title: 'Bad', body: TOO_MANY_BYTES },
      operations: [[postOperations.create]],
      form: ['/admin/posts/new', { slug: 'bad', title: 'Bad', body: TOO_MANY_BYTES }],
    },
  ],
  pages: [
    {
      refusal: '/position too_big',
      row: { slug: 'bad', title: 'Bad', position: 1_000_001 },
      operations: [[pageOperations.create]],
      form: ['/admin/pages/new', { slug: 'bad', title: 'Bad', position: '1000001' }],
    },
    {
      refusal: '/body invalid',
      row: { slug: 'bad', title: 'Bad', body: TOO_MANY_BYTES },
      operations: [[pageOperations.create]],
      form: ['/admin/pages/new', { slug: 'bad', title: 'Bad', body: TOO_MANY_BYTES }],
    },
  ],
  forms: [
    {
      refusal: '/title too_big',
      row: { slug: 'bad', title: TOO_LONG },
      operations: [[createForm]],
      form: ['/admin/forms/new', { slug: 'bad', title: TOO_LONG }],
    },
    {
      refusal: 'empty',
      row: { id: MADE.emptyForm, state: 'open' },
      operations: [[openForm, { id: MADE.emptyForm }]],
    },
    {
      refusal: '/fields repeated',
      row: {
        slug: 'bad',
        title: 'Bad',
        fields: [
          { name: 'q', label: 'One?', kind: 'text', required: true },
          { name: 'q', label: 'Two?', kind: 'text', required: true },
        ],
      },
    },
  ],
  'form-submissions': [
    {
      refusal: '/answers wrong_type',
      row: { external_id: 'bad', form_id: EXAMPLE.form, answers: 'yes' },
    },
  ],
  notifications: [
    {
      refusal: '/title too_big',
      row: { external_id: 'bad', member_id: EXAMPLE.student, title: TOO_LONG },
      operations: [[sendNotification, { member_id: EXAMPLE.student, title: TOO_LONG }]],
      form: ['/admin/notifications/new', { member_id: STUDENT_EMAIL, title: TOO_LONG }],
    },
    {
      refusal: '/read_at before_created',
      row: {
        external_id: 'bad',
        member_id: EXAMPLE.student,
        title: 'Bad',
        created_at: LATE,
        read_at: EARLY,
      },
      operations: [
        [
          sendNotification,
          { member_id: EXAMPLE.student, title: 'Bad', created_at: LATE, read_at: EARLY },
        ],
        [sendNotification, { member_id: EXAMPLE.student, title: 'Bad', read_at: PAST }],
      ],
    },
  ],
  'notification-subscriptions': [
    {
      refusal: '/topic invalid_value',
      row: { member_id: EXAMPLE.student, topic: 'weather', channel: 'email', enabled: false },
    },
  ],
}
