import type { AdminResource } from './resource.ts'
import { comments } from './resources/comments.tsx'
import { services } from './resources/consulting-services.tsx'
import { slots } from './resources/consulting-slots.tsx'
import { coupons } from './resources/coupons.tsx'
import { courses } from './resources/courses.tsx'
import { lectures, sections } from './resources/curriculum.tsx'
import { enrollments } from './resources/enrollments.tsx'
import { events, registrations } from './resources/events.tsx'
import { forms, submissions } from './resources/forms.tsx'
import { jobs } from './resources/jobs.tsx'
import { lecturers } from './resources/lecturers.tsx'
import { meetings } from './resources/meetings.tsx'
import { notifications } from './resources/notifications.tsx'
import { orders } from './resources/orders.tsx'
import { payments } from './resources/payments.tsx'
import { members, students } from './resources/people.tsx'
import { plans } from './resources/plans.tsx'
import { products } from './resources/products.tsx'
import { studyGroups } from './resources/study-groups.tsx'
import { subscriptions } from './resources/subscriptions.tsx'
import { pages, posts } from './resources/writing.tsx'

/** Every kind of object that has pages in the admin area. */
export const RESOURCES: readonly AdminResource[] = [
  courses,
  sections,
  lectures,
  students,
  enrollments,
  lecturers,
  events,
  registrations,
  comments,
  services,
  slots,
  meetings,
  studyGroups,
  orders,
  payments,
  coupons,
  plans,
  subscriptions,
  products,
  posts,
  pages,
  forms,
  submissions,
  members,
  notifications,
  jobs,
]
