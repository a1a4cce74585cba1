import { type RawBuilder, sql } from 'kysely'
import { containsWords, plannedFor } from '../../foundation/db/contains-words.ts'
import { inRange, type Keyed, type KeysetRange, rangeOrder } from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { htmlOf } from '../content/rendered-texts.ts'

/** A published membership plan. */
export interface PublicPlan extends Keyed {
  readonly id: string
  readonly slug: string
  readonly name: string
  /** Markdown, as the school wrote it. */
  readonly description: string
  readonly interval: 'month' | 'year'
  /** In minor units of the currency. */
  readonly priceAmount: number
  readonly currency: string
  /** Titles of the courses that it opens and that have a public page. */
  readonly courses: readonly string[]
  readonly createdAt: Date
}

/** The courses of a plan that have a public page; one that is published later has none yet. */
const SHOWN_COURSES = sql`
  membership_plan_courses m
    join courses c on c.school_id = m.school_id and c.id = m.course_id
  where m.school_id = p.school_id and m.plan_id = p.id and c.state = 'published'
    and c.published_at <= now()`

const COLUMNS = sql`
  p.id, p.slug, p.name, p.description, p.interval, p.price_amount as "priceAmount",
    p.currency, p.created_at as "createdAt",
    (select coalesce(json_agg(c.title order by c.title, c.id), '[]')
     from ${SHOWN_COURSES}) as courses`

type PlanRow = Omit<PublicPlan, 'key'>

const SEARCHED = ['p.name', 'p.description']

/** Published plans that contain every word of the search, newest first, for a search over all kinds. */
export function planHits(at: SchoolDb, search: string, limit: number): RawBuilder<unknown> {
  return sql`
    select 'membership_plan' as kind, p.id, p.slug, p.name as title, p.description as text
    from membership_plans p
    where p.school_id = ${at.schoolId} and p.state = 'published'
      and ${containsWords(SEARCHED, search)}
    order by p.created_at desc, p.id desc limit ${limit}`
}

/** Published plans in which every word of the search occurs, newest first. */
export async function publicPlans(
  at: SchoolDb,
  search: string,
  range: KeysetRange,
): Promise<PublicPlan[]> {
  const { rows } = await at.run(sql<PlanRow>`
    select ${COLUMNS} from membership_plans p
    where p.school_id = ${at.schoolId} and p.state = 'published'
      and ${inRange('p.created_at', 'p.id', range)}
      and ${containsWords(SEARCHED, search)}
    ${rangeOrder('p.created_at', 'p.id', range)} ${plannedFor(search)}`)
  return rows.map((row) => ({ ...row, key: { at: row.createdAt, id: row.id } }))
}

export interface PlanDetails extends PlanRow {
  /** The description as HTML; null if it is not rendered yet. */
  readonly html: string | null
  readonly isPublic: boolean
  /** The courses that it opens and that have a public page. */
  readonly shownCourses: readonly { readonly slug: string; readonly title: string }[]
}

/** For the preview of an operator it need not be published. */
export async function findPublicPlan(
  at: SchoolDb,
  slug: string,
  isPreview = false,
): Promise<PlanDetails | undefined> {
  const { rows } = await at.run(sql<PlanDetails>`
    select ${COLUMNS}, ${htmlOf('p')} as html, p.state = 'published' as "isPublic",
      (select coalesce(json_agg(json_build_object('slug', c.slug, 'title', c.title)
                                order by c.title, c.id), '[]')
       from ${SHOWN_COURSES}) as "shownCourses"
    from membership_plans p
    where p.school_id = ${at.schoolId} and p.slug = ${slug}
      ${isPreview ? sql`` : sql`and p.state = 'published'`}`)
  return rows[0]
}
