import { type RawBuilder, sql } from 'kysely'
import { containsWords, plannedFor } from '../../foundation/db/contains-words.ts'
import { inRange, type Keyed, type KeysetRange, rangeOrder } from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { shownPeople } from '../actor/shown-person.ts'
import { htmlOf } from '../content/rendered-texts.ts'
import { IS_LISTED } from '../people/member-resource.ts'

/** A course as it is public. */
export interface PublicCourse extends Keyed {
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly summary: string
  /** In minor units of the currency. */
  readonly priceAmount: number
  readonly currency: string
  readonly publishedAt: Date
}

export interface PublicCourseDetails extends Omit<PublicCourse, 'key'> {
  /** Markdown, as the school wrote it. */
  readonly description: string
  /** `description` as HTML; null if it is not rendered yet. */
  readonly html: string | null
  readonly createdAt: Date
  readonly outlineVersion: number
  /** Whether visitors see it. */
  readonly isPublic: boolean
  readonly lecturers: readonly { readonly name: string; readonly headline: string }[]
  /** The id and the media type of the file; null without a cover. */
  readonly cover: { readonly fileId: string; readonly contentType: string } | null
}

const SEARCHED = ['title', 'summary', 'description']
const PUBLIC = sql`state = 'published' and published_at <= now()`

/**
 * Courses that are public and contain every word of the search, newest first, for a search over all
 * kinds.
 */
export function courseHits(db: SchoolDb, search: string, limit: number): RawBuilder<unknown> {
  return sql`
    select 'course' as kind, id, slug, title, summary as text from courses
    where school_id = ${db.schoolId} and ${PUBLIC}
      and ${containsWords(SEARCHED, search)}
    order by published_at desc, id desc limit ${limit}`
}

/** Published courses that contain every word of the search, newest first. */
export async function publicCourses(
  db: SchoolDb,
  search: string,
  range: KeysetRange,
): Promise<PublicCourse[]> {
  const { rows } = await db.run(sql<Omit<PublicCourse, 'key'>>`
    select id, slug, title, summary, price_amount as "priceAmount", currency,
      published_at as "publishedAt"
    from courses
    where school_id = ${db.schoolId} and ${PUBLIC}
      and ${inRange('published_at', 'id', range)}
      and ${containsWords(SEARCHED, search)}
    ${rangeOrder('published_at', 'id', range)} ${plannedFor(search)}`)
  return rows.map((row) => ({ ...row, key: { at: row.publishedAt, id: row.id } }))
}

/** A public course without its texts, enough to find its outline. */
export interface PublicCourseHead {
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly createdAt: Date
  readonly outlineVersion: number
}

/** `orIf` is a condition on the course `c`, for people who see it after it was public. */
export async function findPublicCourseHead(
  db: SchoolDb,
  slug: string,
  orIf: RawBuilder<boolean> = sql.lit(false),
): Promise<PublicCourseHead | undefined> {
  const { rows } = await db.run(sql<PublicCourseHead>`
    select id, slug, title, created_at as "createdAt", outline_version as "outlineVersion"
    from courses c where school_id = ${db.schoolId} and slug = ${slug} and (${PUBLIC} or ${orIf})`)
  return rows[0]
}

/**
 * Also for this member if they are enrolled, whatever the state of the course. For the preview of
 * an operator it need not be published.
 */
export async function findPublicCourse(
  db: SchoolDb,
  slug: string,
  userId: string | null = null,
  isPreview = false,
): Promise<PublicCourseDetails | undefined> {
  const { rows } = await db.run(sql<PublicCourseDetails>`
    select c.id, c.slug, c.title, c.summary, c.price_amount as "priceAmount", c.currency,
      coalesce(c.published_at, now()) as "publishedAt", c.description, ${htmlOf('c')} as html, c.created_at as "createdAt",
      c.outline_version as "outlineVersion", coalesce(${PUBLIC}, false) as "isPublic",
      (select coalesce(json_agg(json_build_object('name', u.public_name, 'headline', l.headline)
                                order by cl.position, u.id), '[]')
       from course_lecturers cl
         join lecturers l on l.school_id = cl.school_id and l.user_id = cl.user_id
         join ${shownPeople(db)} u on u.id = cl.user_id and u.public_name is not null
       where cl.school_id = c.school_id and cl.course_id = c.id) as lecturers,
      (select json_build_object('fileId', f.id, 'contentType', f.content_type)
       from files f where f.school_id = c.school_id and f.id = c.cover_file_id) as cover
    from courses c
    where c.school_id = ${db.schoolId} and c.slug = ${slug} ${
      isPreview
        ? sql``
        : sql`and (${PUBLIC} or exists (
            select from enrollments e
            where e.school_id = c.school_id and e.user_id = ${userId} and e.course_id = c.id
              and ${IS_LISTED}))`
    }`)
  return rows[0]
}
