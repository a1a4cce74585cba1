import { type RawBuilder, sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import {
  inRange,
  type Keyed,
  type KeysetRange,
  newestFirst,
  rangeOrder,
} from '../../foundation/db/keyset.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { closePurchased, openPurchased } from '../learning/extend-enrollment.ts'

interface Bought {
  readonly userId: string
  readonly courses: readonly string[]
  readonly products: readonly string[]
}

/** Opens the courses and downloads of an order to its buyer. */
export async function openBought(tx: SchoolTx, order: string): Promise<void> {
  const { userId, courses, products } = await boughtIn(tx, order)
  if (courses.length > 0) await openPurchased(tx, userId, courses)
  if (products.length === 0) return
  await tx.run(sql`
    insert into digital_product_accesses as a (school_id, id, product_id, user_id)
    select ${tx.schoolId}, o.id, o.product_id, ${userId}
    from unnest(${products}::uuid[], ${products.map(() => uuidv7())}::uuid[]) as o (product_id, id)
    on conflict (school_id, user_id, product_id) do update set revoked_at = null, granted_at = now()
      where a.revoked_at is not null`)
}

/** Whether the order `other` has a payment in this state. */
function hasPayment(state: 'paid' | 'refunded') {
  return sql`exists (
    select from payments p
    where p.school_id = other.school_id and p.order_id = other.id and p.state = ${sql.lit(state)})`
}

/** Ends the access that an order gave, except to what another order gave that was not refunded. */
export async function closeBought(tx: SchoolTx, order: string): Promise<void> {
  const { userId, courses, products } = await boughtIn(
    tx,
    order,
    sql`
    and not exists (
      select from orders other join order_items same
        on same.school_id = other.school_id and same.order_id = other.id
      where other.school_id = o.school_id and other.user_id = o.user_id and other.id <> o.id
        and other.state = 'completed'
        and (not ${hasPayment('refunded')} or ${hasPayment('paid')})
        and (same.course_id = i.course_id or same.digital_product_id = i.digital_product_id))`,
  )
  if (courses.length > 0) await closePurchased(tx, userId, courses)
  if (products.length === 0) return
  await tx.run(sql`
    update digital_product_accesses set revoked_at = now()
    where school_id = ${tx.schoolId} and user_id = ${userId}
      and product_id = any(${products}::uuid[]) and revoked_at is null`)
}

async function boughtIn(tx: SchoolTx, order: string, and = sql``): Promise<Bought> {
  const { rows } = await tx.run(sql<{
    user_id: string
    course_id: string | null
    digital_product_id: string | null
  }>`
    select distinct o.user_id, i.course_id, i.digital_product_id
    from orders o join order_items i on i.school_id = o.school_id and i.order_id = o.id
    where o.school_id = ${tx.schoolId} and o.id = ${order} ${and}`)
  return {
    userId: rows[0]?.user_id ?? '',
    courses: rows.flatMap(({ course_id }) => course_id ?? []),
    products: rows.flatMap(({ digital_product_id }) => digital_product_id ?? []),
  }
}

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
  db: SchoolDb,
  userId: string,
  range: KeysetRange,
): Promise<OwnedProduct[]> {
  const { rows } = await db.run(sql<OwnedProductRow>`
    select a.id as access_id, d.id, d.slug, d.title, d.description, a.granted_at
    from digital_product_accesses a
      join digital_products d on d.school_id = a.school_id and d.id = a.product_id
    where a.school_id = ${db.schoolId} and a.user_id = ${userId} and a.revoked_at is null
      and ${inRange('a.granted_at', 'a.id', range)}
    ${rangeOrder('a.granted_at', 'a.id', range)}`)
  const products = rows.map(({ access_id, granted_at, ...product }) => ({
    key: { at: granted_at, id: access_id },
    ...product,
    grantedAt: granted_at,
  }))
  return newestFirst(products, range)
}

export async function countProductsOf(db: SchoolDb, userId: string): Promise<number> {
  const { rows } = await db.run(sql<{ total: number }>`
    select count(*) as total ${productRowsOf(db, userId)}`)
  return rows[0]?.total ?? 0
}

export function productRowsOf(db: SchoolDb, userId: string): RawBuilder<unknown> {
  return sql`from digital_product_accesses
    where school_id = ${db.schoolId} and user_id = ${userId} and revoked_at is null`
}
