import { sql } from 'kysely'
import { z } from 'zod'
import { requireMembers } from '../bulk/columns.ts'
import { byEmail, byName } from '../bulk/reference-column.ts'
import { tableKind } from '../bulk/table-kind.ts'
import { EXAMPLE } from '../operation/example-ids.ts'
import { id, time, utc } from '../operation/fields.ts'
import type { Resource } from '../operation/resource.ts'

const accessSchema = z
  .strictObject({
    object: z.literal('digital_product_access'),
    id,
    product_id: id,
    member_id: id,
    granted_at: utc,
    revoked_at: utc.nullable(),
  })
  .meta({ id: 'DigitalProductAccess' })

const accesses: Resource<typeof accessSchema> = {
  object: 'digital_product_access',
  schema: accessSchema,
  rows: (at) => sql`
    select a.id, a.product_id, a.user_id as member_id, a.granted_at, a.revoked_at
    from digital_product_accesses a where a.school_id = ${at.schoolId}`,
}

export const accessKind = tableKind({
  name: 'digital-product-accesses',
  about: 'Who may download which digital product.',
  of: accesses,
  scopes: {},
  notInAdmin: 'A purchase gives access, and only a move from another system brings it.',
  example: { product_slug: 'sheet', member_id: EXAMPLE.student },
  table: 'digital_product_accesses',
  natural: ['product_id', 'member_id'],
  columns: {
    product_id: { schema: id, needed: true, fixed: true },
    member_id: { schema: id, needed: true, fixed: true },
    granted_at: { schema: time, note: 'now by default' },
    revoked_at: { schema: time.nullable() },
  },
  stored: { member_id: 'user_id' },
  now: ['granted_at'],
  references: {
    product_slug: byName('product_id', { table: 'digital_products', by: 'slug' }),
    member_email: byEmail('member_id'),
  },
  inspect: (tx, rows) => requireMembers(tx, rows, 'member_id'),
})
