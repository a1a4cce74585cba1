import type { School } from '../../../domain/schools/school.ts'
import type { Kind } from './kinds.ts'

/** The same object for operators. */
export function restUrl(school: School, collection: string, id: string): string {
  return `${school.origin}/api/v1/${collection}/${id}`
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
