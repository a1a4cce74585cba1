import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { invalid } from '../operation/refusal.ts'

/** Returns the ids without repetitions; refuses if one of them is not a course of this school. */
export async function checkCourses(
  tx: SchoolTx,
  field: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const unique = [...new Set(ids)]
  const { rows } = await tx.run(sql`
    select 1 from courses where school_id = ${tx.schoolId} and id = any(${unique}::uuid[])`)
  if (rows.length === unique.length) return unique
  throw invalid(field, 'unknown_reference', 'One of these is not a course of this school.')
}
