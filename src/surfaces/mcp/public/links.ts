import type { School } from '../../../domain/schools/school.ts'
import type { Kind } from './kinds.ts'

const COLLECTIONS: Readonly<Record<Kind, string>> = {
  course: 'courses',
  event: 'events',
  membership_plan: 'membership-plans',
  digital_product: 'digital-products',
  post: 'posts',
  page: 'pages',
}

/** The same object for operators. */
export function restUrl(school: School, kind: Kind, id: string): string {
  return `${school.origin}/api/v1/${COLLECTIONS[kind]}/${id}`
}

const PAGES: Readonly<Record<Kind, string | undefined>> = {
  course: 'courses',
  event: 'events',
  membership_plan: undefined,
  digital_product: undefined,
  post: 'posts',
  page: 'pages',
}

/** The page that people read; what has none of its own is offered on the school's first one. */
export function pageUrl(school: School, kind: Kind, slug: string): string {
  const folder = PAGES[kind]
  return folder === undefined ? `${school.origin}/` : `${school.origin}/${folder}/${slug}`
}
