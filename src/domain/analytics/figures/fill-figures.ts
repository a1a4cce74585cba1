import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { countMarked, LARGE, PARTS } from './count-marked.ts'

/**
 * Marks every figure of the school. Until the last of these marks is gone, answers are counted from the rows. For schools
 * that are older than the figures, for a new time zone, and for an administrator who does not trust the figures.
 */
export async function beginFilling(at: SchoolDb): Promise<void> {
  await at.transaction(async (tx) => {
    await tx.run(sql`
      insert into school_figures (school_id) values (${tx.schoolId})
      on conflict (school_id) do update set filled_at = null, filled_with = null`)
    for (const part of PARTS) await part.markAll(tx)
    await tx.run(sql`
      update school_figures set filled_with = now() where school_id = ${tx.schoolId}`)
  })
}

/** Says that the figures are complete if no mark of the first count is left. Returns how many are left. */
export async function endFilling(at: SchoolDb): Promise<number> {
  const { rows } = await at.run(sql<{ left: number }>`
    with waiting as (
      select count(*)::int as left from figure_marks m
      where m.school_id = ${at.schoolId}
        and m.marked_at <= (select filled_with from school_figures f where f.school_id = ${at.schoolId})),
    ended as (
      update school_figures set filled_at = now()
      where school_id = ${at.schoolId} and filled_at is null and filled_with is not null
        and (select w.left from waiting w) = 0)
    select w.left from waiting w`)
  return rows[0]?.left ?? 0
}

/** Keys of one transaction. */
const KEYS_AT_ONCE = 100
/** While another process counts for the school. */
const PAUSE_MS = 50

/** Counts every figure of the school anew, in many small transactions. The marks are its cursor: a server goes on if it ends. */
export async function recountFigures(at: SchoolDb): Promise<void> {
  await beginFilling(at)
  while ((await endFilling(at)) > 0) {
    let isFirst = true
    const { keys } = await countMarked(at, {
      keys: KEYS_AT_ONCE,
      rows: LARGE,
      mayCountLarge: () => {
        const mayCount = isFirst
        isFirst = false
        return mayCount
      },
    })
    if (keys === 0) await sleep(PAUSE_MS)
  }
}
