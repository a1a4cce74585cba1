import { type RawBuilder, sql } from 'kysely'
import { containsWords, plannedFor } from '../../foundation/db/contains-words.ts'
import { inRange, type Keyed, type KeysetRange, rangeOrder } from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

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

const SELECT = sql`
  select id, slug, title, description, price_amount as "priceAmount", currency,
    created_at as "createdAt"
  from digital_products`

type ProductRow = Omit<PublicProduct, 'key'>

const SEARCHED = ['title', 'description']

/** Published products that contain every word of the search, newest first, for a search over all kinds. */
export function productHits(at: SchoolDb, search: string, limit: number): RawBuilder<unknown> {
  return sql`
    select 'digital_product' as kind, id, slug, title, description as text from digital_products
    where school_id = ${at.schoolId} and state = 'published'
      and ${containsWords(SEARCHED, search)}
    order by created_at desc, id desc limit ${limit}`
}

/** Published products in which every word of the search occurs, newest first. */
export async function publicProducts(
  at: SchoolDb,
  search: string,
  range: KeysetRange,
): Promise<PublicProduct[]> {
  const { rows } = await at.run(sql<ProductRow>`
    ${SELECT}
    where school_id = ${at.schoolId} and state = 'published'
      and ${inRange('created_at', 'id', range)}
      and ${containsWords(SEARCHED, search)}
    ${rangeOrder('created_at', 'id', range)} ${plannedFor(search)}`)
  return rows.map((row) => ({ ...row, key: { at: row.createdAt, id: row.id } }))
}

export async function findPublicProduct(
  at: SchoolDb,
  slug: string,
): Promise<Omit<PublicProduct, 'key'> | undefined> {
  const { rows } = await at.run(sql<ProductRow>`
    ${SELECT} where school_id = ${at.schoolId} and slug = ${slug} and state = 'published'`)
  return rows[0]
}
