import type { AdminResource } from './resource.ts'
import { coupons } from './resources/coupons.tsx'
import { courses } from './resources/courses.tsx'
import { subscriptions } from './resources/subscriptions.tsx'
import { pages, posts } from './resources/writing.tsx'

/** Every kind of object that has pages in the admin area. */
export const RESOURCES: readonly AdminResource[] = [courses, coupons, subscriptions, posts, pages]
