import type { School } from '../../../domain/schools/school.ts'

/** The same object for operators. */
export function restUrl(school: School, collection: string, id: string): string {
  return `${school.origin}/api/v1/${collection}/${id}`
}
