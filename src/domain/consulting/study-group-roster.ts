import type { SchoolTx } from '../../foundation/db/school-db.ts'

/** The members of a study group. */
export async function rosterOf(tx: SchoolTx, group: string): Promise<readonly string[]> {
  const roster = await tx
    .from('study_group_members')
    .select('user_id')
    .where('group_id', '=', group)
    .execute()
  return roster.map(({ user_id }) => user_id)
}
