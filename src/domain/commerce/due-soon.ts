import { type RawBuilder, sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { COUNTED } from '../operation/list-page.ts'

/** A payment is due soon if its code or account number can be used for this many days or less. */
export const DUE_SOON_DAYS = 3

/** Selects the ids of unpaid payments that are due soon, the first to expire first, no more than lists count. */
export function paymentsDueSoon(at: SchoolDb): RawBuilder<unknown> {
  return sql`
    select p.id from payments p
    where p.school_id = ${at.schoolId} and p.state = 'pending'
      and p.expires_at > now() and p.expires_at <= now() + make_interval(days => ${DUE_SOON_DAYS})
    order by p.expires_at limit ${sql.lit(COUNTED)}`
}
