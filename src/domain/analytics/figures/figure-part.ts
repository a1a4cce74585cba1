import type { SchoolTx } from '../../../foundation/db/school-db.ts'

/** One kind of kept figures. A key names what is counted as a whole: a day, a week, a month, a course. */
export interface FigurePart {
  readonly name: string
  /** Those of these keys with more rows than this; no more rows are looked at. */
  findLarge(tx: SchoolTx, keys: readonly string[], rows: number): Promise<readonly string[]>
  /** Counts them from the rows and replaces what was kept. */
  count(tx: SchoolTx, keys: readonly string[]): Promise<void>
  /** Every key of the school: those with rows, and those with kept figures, which may be of rows that are gone. */
  markAll(tx: SchoolTx): Promise<void>
}
