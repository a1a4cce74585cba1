import type { RawBuilder } from 'kysely'
import type { SchoolTx } from '../../../foundation/db/school-db.ts'

/** One kind of kept figures. A key names what is counted as a whole: a day, a week, a month, a course. */
export interface FigurePart {
  readonly name: string
  /** Those of these keys with more rows than this; no more rows are looked at. */
  findLarge(tx: SchoolTx, keys: readonly string[], rows: number): Promise<readonly string[]>
  /** Counts them from the rows and replaces what was kept. */
  count(tx: SchoolTx, keys: readonly string[]): Promise<void>
  /**
   * Counts the next rows of a large key, of which the largest would take longer than a statement may. Returns what is
   * counted so far; undefined once all is counted and kept. Absent where also a large key takes a moment.
   */
  countNext?(
    tx: SchoolTx,
    key: string,
    soFar: CountedSoFar | null,
    rows: number,
  ): Promise<CountedSoFar | undefined>
  /** Selects every key of the school: those with rows, and those with kept figures, which may be of rows that are gone. */
  keys(tx: SchoolTx): RawBuilder<unknown>
}

/** As it is kept with a mark, in JSON; only the part knows what is in it. */
export type CountedSoFar = Readonly<Record<string, string | number>>
