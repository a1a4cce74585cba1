import type { AdminResource } from '../crud/resource.ts'
import { comments } from './comments.tsx'
import { services } from './consulting-services.tsx'
import { slots } from './consulting-slots.tsx'
import { coupons } from './coupons.tsx'
import { courses } from './courses.tsx'
import { lectures, sections } from './curriculum.tsx'
import { enrollments } from './enrollments.tsx'
import { events, registrations } from './events.tsx'
import { forms, submissions } from './forms.tsx'
import { jobs } from './jobs.tsx'
import { lecturers } from './lecturers.tsx'
import { meetings } from './meetings.tsx'
import { notifications } from './notifications.tsx'
import { orders } from './orders.tsx'
import { payments } from './payments.tsx'
import { members, students } from './people.tsx'
import { plans } from './plans.tsx'
import { products } from './products.tsx'
import { studyGroups } from './study-groups.tsx'
import { subscriptions } from './subscriptions.tsx'
import { pages, posts } from './writing.tsx'

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
