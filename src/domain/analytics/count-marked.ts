import { sql } from 'kysely'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import {
  type CountedSoFar,
  coursePart,
  enrollmentDays,
  type FigurePart,
  learnerParts,
  revenueDays,
  spansOf,
  totalParts,
} from './figure-parts.ts'

export const PARTS: readonly FigurePart[] = [
  revenueDays,
  enrollmentDays,
  ...learnerParts,
  coursePart,
  ...totalParts,
]

const MARKS_AT_ONCE = 5_000
const KEYS_AT_ONCE = 20

/** More rows than this are counted alone in a transaction, and not often. */
export const LARGE = 20_000

/** How much is counted in one transaction. */
export interface Counting {
  /** At most this many keys. */
  readonly keys: number
  /** A key with more rows than this is large. */
  readonly rows: number
  /** Rows of a large key that are counted at once, where a part can count it in ranges. */
  readonly range?: number
  /** Whether a large key is counted now; by default it waits. */
  mayCountLarge?(part: string, key: string): boolean
}

export interface Counted {
  readonly keys: number
  /** Whether other keys may wait that can be counted now. */
  readonly isMore: boolean
  /** Whether a large key was counted, but not yet all of its rows. */
  readonly isUnfinished: boolean
}

/** Lets one large key be counted in each transaction, because others wait for its end. */
export function oneLarge(): () => boolean {
  let isFirst = true
  return () => {
    const mayCount = isFirst
    isFirst = false
    return mayCount
  }
}

/** Counts in a transaction of its own. */
export async function countMarked(db: SchoolDb, counting: Counting): Promise<Counted> {
  return await db.transaction(async (tx) => await countMarkedIn(tx, counting))
}

/**
 * Counts figures that writes made wrong. A write leaves its mark in its own transaction, so a
 * count that sees the mark sees the rows too. One transaction at a time counts for a school: an
 * older count must not replace a newer one. If another one counts now, this one does nothing.
 */
export async function countMarkedIn(tx: SchoolTx, counting: Counting): Promise<Counted> {
  if (!(await takeTurn(tx))) return { keys: 0, isMore: false, isUnfinished: false }
  const marks = await expandedMarks(tx)
  const done: Mark[] = []
  let left = counting.keys
  let isUnfinished = false
  for (const part of PARTS) {
    const own = marksByKey(marks.filter((mark) => mark.part === part.name))
    const keys = [...own.keys()]
    const of = (key: string) => own.get(key) ?? []
    for (let n = 0; n < keys.length; n += KEYS_AT_ONCE) {
      const some = keys.slice(n, n + KEYS_AT_ONCE)
      const large = new Set(left > 0 ? await part.findLarge(tx, some, counting.rows) : some)
      const few = some.filter((key) => !large.has(key))
      if (few.length > 0) await part.count(tx, few)
      done.push(...few.flatMap(of))
      left -= few.length
      for (const key of large) {
        if (left <= 0 || counting.mayCountLarge?.(part.name, key) !== true) {
          done.push(...repeated(of(key)))
          continue
        }
        const { removed, isWhole } = await countLarge(tx, part, of(key), counting.range ?? LARGE)
        done.push(...removed)
        isUnfinished ||= !isWhole
        left -= 1
      }
    }
  }
  await removeMarks(tx, done)
  const isMore = done.length > 0 && (left <= 0 || marks.length >= MARKS_AT_ONCE)
  return { keys: counting.keys - left, isMore, isUnfinished }
}

/** Removes the oldest marks of a school without counting. Returns whether there may be more. */
export async function forgetMarks(db: SchoolDb): Promise<boolean> {
  // Those that another transaction removes are left to it: two that wait for each other would fail.
  const { rows } = await db.run(sql<{ removed: number }>`
    with old as materialized (
      select ctid as place from figure_marks where school_id = ${db.schoolId}
      order by marked_at, id limit ${sql.lit(MARKS_AT_ONCE)} for update skip locked),
    gone as (delete from figure_marks where ctid = any (array(select place from old)) returning 1)
    select count(*)::int as removed from gone`)
  return rows[0]?.removed === MARKS_AT_ONCE
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
    select id, part, key, marked_at, counted from figure_marks
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

interface Mark {
  readonly id: string
  readonly part: string
  readonly key: string
  readonly marked_at: Date
  readonly counted: CountedSoFar | null
}

function marksByKey(marks: readonly Mark[]): ReadonlyMap<string, readonly Mark[]> {
  const byKey = new Map<string, Mark[]>()
  for (const mark of marks) {
    const same = byKey.get(mark.key)
    if (same === undefined) byKey.set(mark.key, [mark])
    else same.push(mark)
  }
  return byKey
}

/**
 * Of a key that waits one mark is enough, the oldest. A count that has begun may have missed what
 * the others stand for.
 */
function repeated(marks: readonly Mark[]): readonly Mark[] {
  return marks.filter(({ counted }) => counted === null).slice(1)
}

/**
 * Counts a large key, or the next range of it. The count belongs to one mark. Marks that were there
 * when it began are removed at once; a mark that came later stays, because its write may be in a
 * range that was counted before.
 */
async function countLarge(
  tx: SchoolTx,
  part: FigurePart,
  marks: readonly Mark[],
  rows: number,
): Promise<{ readonly removed: readonly Mark[]; readonly isWhole: boolean }> {
  const mark = marks.find(({ counted }) => counted !== null) ?? marks[0]
  if (mark === undefined) return { removed: [], isWhole: true }
  if (part.countNext === undefined) {
    await part.count(tx, [mark.key])
    return { removed: marks, isWhole: true }
  }
  const others = mark.counted === null ? marks.filter((other) => other !== mark) : []
  const soFar = await part.countNext(tx, mark.key, mark.counted, rows)
  if (soFar === undefined) return { removed: [mark, ...others], isWhole: true }
  await tx.run(sql`
    update figure_marks set counted = ${JSON.stringify(soFar)}::jsonb
    where school_id = ${tx.schoolId} and marked_at = ${mark.marked_at} and id = ${mark.id}`)
  return { removed: others, isWhole: false }
}
