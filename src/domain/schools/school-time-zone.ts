import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'

export async function schoolTimeZone(tx: SchoolTx): Promise<string> {
  const { rows } = await tx.run(
    sql<{ time_zone: string }>`select time_zone from schools where id = ${tx.schoolId}`,
  )
  return rows[0]?.time_zone ?? 'UTC'
}

/** A time in the words of a notification, such as "Tuesday, March 2, 2027 at 9:30 AM (Asia/Taipei)". */
export function timeInWords(at: Date, timeZone: string): string {
  const when = at.toLocaleString('en', { timeZone, dateStyle: 'full', timeStyle: 'short' })
  return `${when} (${timeZone})`
}
