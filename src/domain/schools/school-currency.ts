import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'

/** The currency of a price that states none. */
export async function schoolCurrency(at: SchoolDb): Promise<string> {
  const { rows } = await at.run(
    sql<{ currency: string }>`select currency from schools where id = ${at.schoolId}`,
  )
  const currency = rows[0]?.currency
  if (currency === undefined) throw new Error(`school ${at.schoolId} is gone`)
  return currency
}
