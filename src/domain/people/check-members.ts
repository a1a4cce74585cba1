import { sql } from 'kysely'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { invalid } from '../operation/refusal.ts'

/** Returns the ids without repetitions; refuses if one of them holds no role at this school. */
export async function checkMembers(
  tx: SchoolTx,
  field: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const unique = [...new Set(ids)]
  const { rows } = await tx.run(sql`
    select 1 from school_members
    where school_id = ${tx.schoolId} and user_id = any(${unique}::uuid[]) and roles <> '{}'`)
  if (rows.length === unique.length) return unique
  throw invalid(
    field,
    'unknown_reference',
    unique.length === 1
      ? 'This person is not a member of this school.'
      : 'One of these is not a member of this school.',
  )
}
