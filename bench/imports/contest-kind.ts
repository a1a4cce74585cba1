import type { BulkKind } from '../../src/domain/bulk/kind.ts'

/** Students of a school, and rows for each: together they make as many rows as are imported. */
export const STUDENTS = 10_000
export const EACH = 10

/** One kind of row that is imported, as a file of ours and as the floor takes it. */
export interface ContestKind {
  readonly kind: BulkKind
  readonly title: string
  /** Whether the rows of a student stand together, as in an export, or come as things happened. */
  readonly order: 'by student' | 'by time'
  /** A row of the file. */
  row(school: number, student: number, n: number): object
  /** The same for the floor: already as the table has it. */
  bare(school: number, student: number, n: number): Readonly<Record<string, unknown>>
  /** The least that could write it, given a school and a list for each column of `types`. */
  readonly floor: string
  readonly types: Readonly<Record<string, string>>
}
