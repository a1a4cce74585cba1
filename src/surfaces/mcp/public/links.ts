import { plans } from '../../../domain/commerce/plan-operations.ts'
import { products } from '../../../domain/commerce/product-operations.ts'
import { pages, posts } from '../../../domain/content/writing-operations.ts'
import { events } from '../../../domain/events/event-operations.ts'
import { courses } from '../../../domain/learning/course-operations.ts'
import { restPathOf, restUrl as urlInRestApi } from '../../../domain/operation/operation.ts'
import type { Resource } from '../../../domain/operation/resource.ts'
import type { School } from '../../../domain/schools/school.ts'
import type { Kind } from './kinds.ts'

const RESOURCES: Readonly<Record<Kind, Resource>> = {
  course: courses,
  event: events,
  membership_plan: plans,
  digital_product: products,
  post: posts,
  page: pages,
}

/** The same object in the REST API, for operators. */
export function restUrl({ origin }: School, kind: Kind, id: string): string {
  return urlInRestApi(origin, restPathOf(RESOURCES[kind]), id)
}

const PAGES: Readonly<Record<Kind, string>> = {
  course: 'courses',
  event: 'events',
  membership_plan: 'plans',
  digital_product: 'products',
  post: 'posts',
  page: 'pages',
}

/** The page that shows the object to people. */
export function pageUrl(school: School, kind: Kind, slug: string): string {
  return `${school.origin}/${PAGES[kind]}/${slug}`
}
