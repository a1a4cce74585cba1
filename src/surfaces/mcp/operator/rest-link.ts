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

/** What there is one of at a school, or under another object, whose id it then has. */
const PLACES: Readonly<Record<string, (id: string) => string>> = {
  appearance: () => 'appearance',
  curriculum: (course) => `courses/${course}/curriculum`,
  progress: (enrollment) => `enrollments/${enrollment}/progress`,
  school: () => 'school',
}

export function restUrlOf(school: School, output: Record<string, unknown>): string | null {
  const { object, id, deleted } = output
  if (typeof object !== 'string' || deleted === true) return null
  const place = Object.hasOwn(PLACES, object) ? PLACES[object] : undefined
  const collection = Object.hasOwn(COLLECTIONS, object) ? COLLECTIONS[object] : undefined
  const base = `${school.origin}/api/v1`
  if (place !== undefined) return `${base}/${place(String(id))}`
  return collection === undefined || typeof id !== 'string' ? null : `${base}/${collection}/${id}`
}
