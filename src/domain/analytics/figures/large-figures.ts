import { sql } from 'kysely'
import type { SchoolTx } from '../../../foundation/db/school-db.ts'
import type { CountedSoFar, FigurePart } from './figure-part.ts'

export interface Mark {
  readonly id: string
  readonly part: string
  readonly key: string
  readonly marked_at: Date
  readonly counted: CountedSoFar | null
}

export function marksByKey(marks: readonly Mark[]): ReadonlyMap<string, readonly Mark[]> {
  const byKey = new Map<string, Mark[]>()
  for (const mark of marks) {
    const same = byKey.get(mark.key)
    if (same === undefined) byKey.set(mark.key, [mark])
    else same.push(mark)
  }
  return byKey
}

/** Of a key that waits one mark is enough, the oldest. A count that has begun may have missed what the others stand for. */
export function repeated(marks: readonly Mark[]): readonly Mark[] {
  return marks.filter(({ counted }) => counted === null).slice(1)
}

/**
 * Counts a large key, or the next range of it. The count belongs to one mark. Marks that were there when it began
 * are removed at once; a mark that came later stays, because its write may be in a range that was counted before.
 */
export async function countLarge(
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
