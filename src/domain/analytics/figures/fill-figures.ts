import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import { countMarked, LARGE, oneLarge, PARTS } from './count-marked.ts'

/**
 * Marks every figure of the school: of a school that is older than the figures, after a new time zone, and for an administrator who
 * does not trust the figures. Where there were none, answers are counted from the rows until the last of these marks is gone.
 */
export async function beginFilling(at: SchoolDb): Promise<void> {
  await at.transaction(async (tx) => {
    for (const part of PARTS) {
      await tx.run(sql`
        insert into figure_marks (school_id, part, key)
        select ${tx.schoolId}::uuid, ${part.name}, k.key from (${part.keys(tx)}) k`)
    }
    await tx.run(sql`
      insert into school_figures (school_id, filled_with) values (${tx.schoolId}, now())
      on conflict (school_id) do update set filled_with = excluded.filled_with`)
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
    const { keys } = await countMarked(at, {
      keys: KEYS_AT_ONCE,
      rows: LARGE,
      mayCountLarge: oneLarge(),
    })
    if (keys === 0) await sleep(PAUSE_MS)
  }
}
