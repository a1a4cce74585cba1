import type { BulkKind } from '../../src/domain/bulk/kind.ts'

/** Students of a school, and rows per student: the product is the number of imported rows. */
export const STUDENTS = 10_000
export const EACH = 10

/** One kind of imported row, as a file for ours and as values for the floor. */
export interface ContestKind {
  readonly kind: BulkKind
  readonly title: string
  /** Whether the rows of a student are together, as in an export, or in order of time. */
  readonly order: 'by student' | 'by time'
  /** A row of the file. */
  row(school: number, student: number, n: number): object
  /** The same for the floor: the values of the table's columns. */
  bare(school: number, student: number, n: number): Readonly<Record<string, unknown>>
  /** The floor: one insert for a school and a list of values for each column of `types`. */
  readonly floor: string
  readonly types: Readonly<Record<string, string>>
}
