import { sql } from 'kysely'
import type { SchoolDb, SchoolTx } from '../../../foundation/db/school-db.ts'
import { coursePart } from './course-part.ts'
import { enrollmentDays, revenueDays } from './day-parts.ts'
import type { FigurePart } from './figure-part.ts'
import { learnerParts, spansOf } from './learner-parts.ts'
import { totalParts } from './total-parts.ts'

export const PARTS: readonly FigurePart[] = [
  revenueDays,
  enrollmentDays,
  ...learnerParts,
  coursePart,
  ...totalParts,
]

const MARKS_AT_ONCE = 5_000

/** How much is counted in one transaction. */
export interface Counting {
  /** At most this many keys. */
  readonly keys: number
  /** Whether a key with many rows is counted now; by default it waits. */
  mayCountLarge?(part: string, key: string): boolean
}

export interface Counted {
  readonly keys: number
  /** Whether other keys wait that may be counted now. */
  readonly isMore: boolean
}

interface Mark {
  readonly id: string
  readonly part: string
  readonly key: string
  readonly marked_at: Date
}

/**
 * Counts figures that writes made wrong. A write leaves its mark in its own transaction, so a
 * count that sees the mark sees the rows too. One transaction at a time counts for a school: an older count must not
 * replace a newer one. If another one counts now, this one does nothing.
 */
export async function countMarked(at: SchoolDb, counting: Counting): Promise<Counted> {
  return await at.transaction(async (tx) => {
    if (!(await takeTurn(tx))) return { keys: 0, isMore: true }
    const marks = await expandedMarks(tx)
    const done: Mark[] = []
    let left = counting.keys
    let waiting = 0
    for (const part of PARTS) {
      const own = marks.filter((mark) => mark.part === part.name)
      const keys = [...new Set(own.map(({ key }) => key))]
      if (keys.length === 0) continue
      const large = new Set(await part.findLarge(tx, keys))
      const mayCount = keys.filter(
        (key) => !large.has(key) || counting.mayCountLarge?.(part.name, key) === true,
      )
      const now = new Set(mayCount.slice(0, left))
      waiting += mayCount.length - now.size
      left -= now.size
      if (now.size > 0) await part.count(tx, [...now])
      done.push(...own.filter(({ key }) => now.has(key)))
    }
    await removeMarks(tx, done)
    return { keys: counting.keys - left, isMore: waiting > 0 || marks.length >= MARKS_AT_ONCE }
  })
}

async function takeTurn(tx: SchoolTx): Promise<boolean> {
  const { rows } = await tx.run(sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`figures ${tx.schoolId}`}, 0)) as taken`)
  return rows[0]?.taken === true
}

/** The oldest marks; the mark of a day of learning is first replaced by those of its spans. */
async function expandedMarks(tx: SchoolTx): Promise<readonly Mark[]> {
  const marks = await readMarks(tx)
  const days = marks.filter(({ part }) => part === 'learners')
  if (days.length === 0) return marks
  const spans = new Map(
    days
      .toReversed()
      .flatMap(({ key, marked_at }) =>
        spansOf(key).map(([part, span]) => [`${part} ${span}`, { part, key: span, marked_at }]),
      ),
  )
  await removeMarks(tx, days)
  await tx.insert('figure_marks', [...spans.values()]).execute()
  return await readMarks(tx)
}

async function readMarks(tx: SchoolTx): Promise<readonly Mark[]> {
  const { rows } = await tx.run(sql<Mark>`
    select id, part, key, marked_at from figure_marks
    where school_id = ${tx.schoolId} order by marked_at, id limit ${MARKS_AT_ONCE}`)
  return rows
}

async function removeMarks(tx: SchoolTx, marks: readonly Mark[]): Promise<void> {
  if (marks.length === 0) return
  await tx.run(sql`
    delete from figure_marks m
    using unnest(${marks.map(({ marked_at }) => marked_at)}::timestamptz[], ${marks.map(({ id }) => id)}::uuid[])
      as gone (marked_at, id)
    where m.school_id = ${tx.schoolId} and m.marked_at = gone.marked_at and m.id = gone.id`)
}
