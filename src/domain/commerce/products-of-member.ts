import { type RawBuilder, sql } from 'kysely'
import {
  inRange,
  type Keyed,
  type KeysetRange,
  newestFirst,
  rangeOrder,
} from '../../foundation/db/keyset.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

/** A digital product that a member may download. */
export interface OwnedProduct extends Keyed {
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly description: string
  readonly grantedAt: Date
}

interface OwnedProductRow {
  access_id: string
  id: string
  slug: string
  title: string
  description: string
  granted_at: Date
}

export async function productsOf(
  at: SchoolDb,
  userId: string,
  range: KeysetRange,
): Promise<OwnedProduct[]> {
  const { rows } = await at.run(sql<OwnedProductRow>`
    select a.id as access_id, d.id, d.slug, d.title, d.description, a.granted_at
    from digital_product_accesses a
      join digital_products d on d.school_id = a.school_id and d.id = a.product_id
    where a.school_id = ${at.schoolId} and a.user_id = ${userId} and a.revoked_at is null
      and ${inRange('a.granted_at', 'a.id', range)}
    ${rangeOrder('a.granted_at', 'a.id', range)}`)
  const products = rows.map(({ access_id, granted_at, ...product }) => ({
    key: { at: granted_at, id: access_id },
    ...product,
    grantedAt: granted_at,
  }))
  return newestFirst(products, range)
}

export async function countProductsOf(at: SchoolDb, userId: string): Promise<number> {
  const { rows } = await at.run(sql<{ total: number }>`
    select count(*) as total ${productRowsOf(at, userId)}`)
  return rows[0]?.total ?? 0
}

export function productRowsOf(at: SchoolDb, userId: string): RawBuilder<unknown> {
  return sql`from digital_product_accesses
    where school_id = ${at.schoolId} and user_id = ${userId} and revoked_at is null`
}
