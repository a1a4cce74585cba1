import type { SchoolDb } from '../../foundation/db/school-db.ts'

/** A course as anybody may see it. */
export interface PublishedCourse {
  readonly slug: string
  readonly title: string
  readonly summary: string
  /** In minor units of the currency. */
  readonly priceAmount: number
  readonly currency: string
}

/** What the school shows everybody, newest first. */
export async function publishedCourses(
  at: SchoolDb,
  limit: number,
): Promise<readonly PublishedCourse[]> {
  const rows = await at
    .from('courses')
    .select(['slug', 'title', 'summary', 'price_amount', 'currency'])
    .where('state', '=', 'published')
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    slug: row.slug,
    title: row.title,
    summary: row.summary,
    priceAmount: row.price_amount,
    currency: row.currency,
  }))
}
