import { sql } from 'kysely'
import type { Db } from '../../../foundation/db/database.ts'
import { atSchool } from '../../../foundation/db/school-db.ts'
import type { Sweep } from '../../../foundation/db/sweep.ts'
import { removeSomeRows, tablesOfSchools } from './remove-rows.ts'

/**
 * Crosses schools: removes the row of a deleted school once the job that removed its other rows has expired. A request that
 * was under way when the school was deleted may have added some behind the job: they go now.
 */
export const schoolSweep: Sweep = {
  name: 'schools',
  async step(db) {
    const { rows } = await sql<{ id: string }>`
      select s.id from schools s
      where s.deleted_at is not null and not exists (select from jobs j where j.school_id = s.id)
      order by s.deleted_at limit 1`.execute(db)
    const [school] = rows
    if (school === undefined) return { removed: 0, last: undefined, isDone: true }
    const isGone = await removeSchool(db, school.id)
    return { removed: isGone ? 1 : 0, last: undefined, isDone: !isGone }
  },
}

/** False if it has more rows than this step removes. */
async function removeSchool(db: Db, schoolId: string): Promise<boolean> {
  const at = atSchool(db, schoolId, { lane: 'batch' })
  for (const table of await tablesOfSchools(at)) {
    // Files were removed by the job; a server without a store must still be able to finish.
    const { isLast } = await at.transaction((tx) => removeSomeRows(tx, table, null, undefined))
    if (!isLast) return false
  }
  await sql`delete from schools where id = ${schoolId} and deleted_at is not null`.execute(db)
  return true
}
