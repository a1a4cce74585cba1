import { z } from 'zod'
import { plans } from '../../../domain/commerce/plan-operations.ts'
import { products } from '../../../domain/commerce/product-operations.ts'
import { pages, posts } from '../../../domain/content/writing-operations.ts'
import { events } from '../../../domain/events/event-operations.ts'
import { courses } from '../../../domain/learning/course-operations.ts'
import { restPathOf, restUrl as urlInRestApi } from '../../../domain/operation/operation.ts'
import type { Resource } from '../../../domain/operation/resource.ts'
import type { School } from '../../../domain/schools/school.ts'
import { pageInput } from '../paging.ts'
import { words } from '../tool.ts'

const RESOURCES: Readonly<Record<Kind, Resource>> = {
  course: courses,
  event: events,
  membership_plan: plans,
  digital_product: products,
  post: posts,
  page: pages,
}

/** The object in the REST API, for operators. */
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

/** The kinds of public objects; the first half of an id that `fetch` takes. */
export const KINDS = [
  'course',
  'event',
  'membership_plan',
  'digital_product',
  'post',
  'page',
] as const

export type Kind = (typeof KINDS)[number]

/** What every list of the catalogue takes. */
export const listInput = {
  search: words(200).default('').describe('only those in which every one of these words occurs'),
  ...pageInput,
}

/** What an item of the catalogue has beside the members of its row. */
export function itemOf(school: School, kind: Kind, { id, slug }: { id: string; slug: string }) {
  return {
    id: `${kind}:${slug}`,
    url: pageUrl(school, kind, slug),
    restUrl: restUrl(school, kind, id),
  }
}

/** What every item of the catalogue has. */
export const itemFields = {
  id: z.string().describe('what the tool fetch takes'),
  slug: z.string(),
  url: z.string().describe('where people see it'),
  restUrl: z.string().describe('the same object in the REST API, for operators'),
}
