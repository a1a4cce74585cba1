import { sql } from 'kysely'
import type { Db } from '../../../foundation/db/database.ts'
import { atSchool, type SchoolDb } from '../../../foundation/db/school-db.ts'
import { countMarked, forgetMarks, LARGE } from './count-marked.ts'
import { beginFilling, endFilling } from './fill-figures.ts'

/** Keys of one transaction. */
const KEYS_AT_ONCE = 100
/** A large key is counted again after this many times as long as its last count took: it costs 2 % of a core at most. */
const REST = 50
const AFTER_FAILURE_MS = 60_000
/** Schools whose figures are not kept are looked for every so many rounds. */
const ROUNDS_BETWEEN_LOOKS = 60

/** The work of the server's own count: all schools in turn, a small step of each. Several processes may do it at once. */
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
    const at = this.#at(schoolId)
    let large: string | undefined
    const started = performance.now()
    const { keys, isMore, isUnfinished } = await countMarked(at, {
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
    await endFilling(at)
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
