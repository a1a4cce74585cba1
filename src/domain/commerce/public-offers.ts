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

const PLAN_COLUMNS = sql`
  p.id, p.slug, p.name, p.description, p.interval, p.price_amount as "priceAmount",
    p.currency, p.created_at as "createdAt",
    (select coalesce(json_agg(c.title order by c.title, c.id), '[]')
     from ${SHOWN_COURSES}) as courses`

type PlanRow = Omit<PublicPlan, 'key'>

const PLAN_SEARCHED = ['p.name', 'p.description']

/**
 * Published plans that contain every word of the search, newest first, for a search over all kinds.
 */
export function planHits(db: SchoolDb, search: string, limit: number): RawBuilder<unknown> {
  return sql`
    select 'membership_plan' as kind, p.id, p.slug, p.name as title, p.description as text
    from membership_plans p
    where p.school_id = ${db.schoolId} and p.state = 'published'
      and ${containsWords(PLAN_SEARCHED, search)}
    order by p.created_at desc, p.id desc limit ${limit}`
}

/** Published plans in which every word of the search occurs, newest first. */
export async function publicPlans(
  db: SchoolDb,
  search: string,
  range: KeysetRange,
): Promise<PublicPlan[]> {
  const { rows } = await db.run(sql<PlanRow>`
    select ${PLAN_COLUMNS} from membership_plans p
    where p.school_id = ${db.schoolId} and p.state = 'published'
      and ${inRange('p.created_at', 'p.id', range)}
      and ${containsWords(PLAN_SEARCHED, search)}
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
  db: SchoolDb,
  slug: string,
  isPreview = false,
): Promise<PlanDetails | undefined> {
  const { rows } = await db.run(sql<PlanDetails>`
    select ${PLAN_COLUMNS}, ${htmlOf('p')} as html, p.state = 'published' as "isPublic",
      (select coalesce(json_agg(json_build_object('slug', c.slug, 'title', c.title)
                                order by c.title, c.id), '[]')
       from ${SHOWN_COURSES}) as "shownCourses"
    from membership_plans p
    where p.school_id = ${db.schoolId} and p.slug = ${slug}
      ${isPreview ? sql`` : sql`and p.state = 'published'`}`)
  return rows[0]
}

/** A digital product as visitors see it; only members who own it get the file. */
export interface PublicProduct extends Keyed {
  readonly id: string
  readonly slug: string
  readonly title: string
  /** Markdown, as the school wrote it. */
  readonly description: string
  /** In minor units of the currency. */
  readonly priceAmount: number
  readonly currency: string
  readonly createdAt: Date
}

const PRODUCT_COLUMNS = sql`
  p.id, p.slug, p.title, p.description, p.price_amount as "priceAmount", p.currency,
  p.created_at as "createdAt"`

type ProductRow = Omit<PublicProduct, 'key'>

const PRODUCT_SEARCHED = ['title', 'description']

/**
 * Published products that contain every word of the search, newest first, for a search over all
 * kinds.
 */
export function productHits(db: SchoolDb, search: string, limit: number): RawBuilder<unknown> {
  return sql`
    select 'digital_product' as kind, id, slug, title, description as text from digital_products
    where school_id = ${db.schoolId} and state = 'published'
      and ${containsWords(PRODUCT_SEARCHED, search)}
    order by created_at desc, id desc limit ${limit}`
}

/** Published products in which every word of the search occurs, newest first. */
export async function publicProducts(
  db: SchoolDb,
  search: string,
  range: KeysetRange,
): Promise<PublicProduct[]> {
  const { rows } = await db.run(sql<ProductRow>`
    select ${PRODUCT_COLUMNS} from digital_products p
    where p.school_id = ${db.schoolId} and p.state = 'published'
      and ${inRange('p.created_at', 'p.id', range)}
      and ${containsWords(PRODUCT_SEARCHED, search)}
    ${rangeOrder('p.created_at', 'p.id', range)} ${plannedFor(search)}`)
  return rows.map((row) => ({ ...row, key: { at: row.createdAt, id: row.id } }))
}

/** A product as one viewer sees it. */
export interface ProductOfViewer extends ProductRow {
  /** The description as HTML; null if it is not rendered yet. */
  readonly html: string | null
  readonly isPublic: boolean
  /** Whether the viewer may download the file. */
  readonly isOwned: boolean
  /** Null before the school has uploaded it. */
  readonly file: { readonly id: string; readonly name: string; readonly sizeBytes: number } | null
}

/**
 * A public product; for this member also one that they own, whatever its state. For the preview of
 * an operator it need not be published.
 */
export async function findPublicProduct(
  db: SchoolDb,
  slug: string,
  userId: string | null = null,
  isPreview = false,
): Promise<ProductOfViewer | undefined> {
  const { rows } = await db.run(sql<ProductOfViewer>`
    select ${PRODUCT_COLUMNS}, ${htmlOf('p')} as html, p.state = 'published' as "isPublic",
      a.id is not null as "isOwned",
      (select json_build_object('id', f.id, 'name', f.name, 'sizeBytes', f.size_bytes)
       from files f where f.school_id = p.school_id and f.id = p.file_id) as file
    from digital_products p
      left join digital_product_accesses a on a.school_id = p.school_id and a.product_id = p.id
        and a.user_id = ${userId} and a.revoked_at is null
    where p.school_id = ${db.schoolId} and p.slug = ${slug}
      ${isPreview ? sql`` : sql`and (p.state = 'published' or a.id is not null)`}`)
  return rows[0]
}
