import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import { atSchool, type SchoolDb } from '../../foundation/db/school-db.ts'
import { countMarked, forgetMarks, LARGE, oneLarge, PARTS } from './count-marked.ts'

/** Keys of one transaction. */
const KEYS_AT_ONCE = 100
/**
 * A large key is counted again after this many times as long as its last count took: it costs 2 %
 * of a core at most.
 */
const REST = 50
const AFTER_FAILURE_MS = 60_000
/** Schools whose figures are not kept are looked for every so many rounds. */
const ROUNDS_BETWEEN_LOOKS = 60

/**
 * The work of the server's own count: all schools in turn, a small step of each. Several processes
 * may do it at once.
 */
export class FigureRounds {
  readonly #db: Db
  readonly #dueAt = new Map<string, number>()
  /** How long large keys took of which not all ranges are counted. */
  readonly #spent = new Map<string, number>()
  #round = 0

  constructor(db: Db) {
    this.#db = db
  }

  /** One step of every school with marks. Returns whether more can be done at once. */
  async next(): Promise<boolean> {
    if (this.#round++ % ROUNDS_BETWEEN_LOOKS === 0) await this.#beginMissing()
    const { rows } = await sql<{ school_id: string; is_deleted: boolean }>`
      with recursive marked as (
        (select school_id from figure_marks order by school_id limit 1)
        union all
        select (select m.school_id from figure_marks m where m.school_id > k.school_id order by m.school_id limit 1)
        from marked k where k.school_id is not null)
      select s.id as school_id, s.deleted_at is not null as is_deleted
      from marked k join schools s on s.id = k.school_id`.execute(this.#db)
    let isMore = false
    for (const { school_id, is_deleted } of rows) {
      // To remove the rows of a school leaves marks, too, but its figures are not read any more.
      const step = is_deleted ? forgetMarks(this.#at(school_id)) : this.#step(school_id)
      if (await step) isMore = true
    }
    return isMore
  }

  async #step(schoolId: string): Promise<boolean> {
    const db = this.#at(schoolId)
    let large: string | undefined
    const started = performance.now()
    const { keys, isMore, isUnfinished } = await countMarked(db, {
      keys: KEYS_AT_ONCE,
      rows: LARGE,
      // One for each transaction, because others wait for its end to count.
      mayCountLarge: (part, key) => {
        const name = `${schoolId} ${part} ${key}`
        if (large !== undefined || (this.#dueAt.get(name) ?? 0) > started) return false
        large = name
        // Also if it fails, for example because it takes too long: the others must not wait for it.
        this.#dueAt.set(name, started + AFTER_FAILURE_MS)
        return true
      },
    })
    if (large !== undefined) {
      const now = performance.now()
      const spent = now - started + (this.#spent.get(large) ?? 0)
      if (isUnfinished) this.#spent.set(large, spent)
      else this.#spent.delete(large)
      this.#dueAt.set(large, isUnfinished ? now : now + REST * spent)
    }
    await endFilling(db)
    return isMore || (large !== undefined && keys > 0)
  }

  async #beginMissing(): Promise<void> {
    for (const [name, dueAt] of this.#dueAt) if (dueAt < performance.now()) this.#dueAt.delete(name)
    const { rows } = await sql<{ id: string }>`
      select s.id from schools s left join school_figures f on f.school_id = s.id
      where f.filled_at is null and f.filled_with is null and s.deleted_at is null`.execute(
      this.#db,
    )
    for (const { id } of rows) await beginFilling(this.#at(id))
  }

  #at(schoolId: string): SchoolDb {
    return atSchool(this.#db, schoolId, { lane: 'batch' })
  }
}

/**
 * Marks every figure of the school: of a school that is older than the figures, after a new time
 * zone, and for an administrator who does not trust the figures. Where there were none, answers are
 * counted from the rows until the last of these marks is gone.
 */
export async function beginFilling(db: SchoolDb): Promise<void> {
  await db.transaction(async (tx) => {
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

/**
 * Says that the figures are complete if no mark of the first count is left. Returns how many are
 * left.
 */
export async function endFilling(db: SchoolDb): Promise<number> {
  const { rows } = await db.run(sql<{ left: number }>`
    with waiting as (
      select count(*)::int as left from figure_marks m
      where m.school_id = ${db.schoolId}
        and m.marked_at <= (select filled_with from school_figures f where f.school_id = ${db.schoolId})),
    ended as (
      update school_figures set filled_at = now()
      where school_id = ${db.schoolId} and filled_at is null and filled_with is not null
        and (select w.left from waiting w) = 0)
    select w.left from waiting w`)
  return rows[0]?.left ?? 0
}

/** Keys of one transaction. */
const FILLED_AT_ONCE = 100
/** While another process counts for the school. */
const PAUSE_MS = 50

/**
 * Counts every figure of the school anew, in many small transactions. The marks are its cursor: a
 * server goes on if it ends.
 */
export async function recountFigures(db: SchoolDb): Promise<void> {
  await beginFilling(db)
  while ((await endFilling(db)) > 0) {
    const { keys } = await countMarked(db, {
      keys: FILLED_AT_ONCE,
      rows: LARGE,
      mayCountLarge: oneLarge(),
    })
    if (keys === 0) await sleep(PAUSE_MS)
  }
}
