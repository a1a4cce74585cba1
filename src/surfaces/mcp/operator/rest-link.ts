import type { School } from '../../../domain/schools/school.ts'

/** Where the REST API has an object, by the kind that each answer names. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  comment: 'comments',
  coupon: 'coupons',
  course: 'courses',
  digital_product: 'digital-products',
  enrollment: 'enrollments',
  event: 'events',
  event_registration: 'event-registrations',
  form: 'forms',
  form_submission: 'form-submissions',
  lecture: 'lectures',
  lecturer: 'lecturers',
  member: 'members',
  membership_plan: 'membership-plans',
  order: 'orders',
  page: 'pages',
  post: 'posts',
  section: 'sections',
  student: 'students',
  subscription: 'subscriptions',
}

export function restUrlOf(school: School, output: Record<string, unknown>): string | null {
  const { object, id, deleted } = output
  const collection = COLLECTIONS[String(object)]
  if (collection === undefined || typeof id !== 'string' || deleted === true) return null
  return `${school.origin}/api/v1/${collection}/${id}`
}
