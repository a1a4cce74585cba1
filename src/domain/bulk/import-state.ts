import type { InputProblem } from '../operation/refusal.ts'
import type { Attempt } from './attempt.ts'
import type { ColumnNames, Format, Within } from './row-reader.ts'

export interface ImportOptions {
  readonly format: Format
  /** Write everything, then roll it back. */
  readonly dryRun?: boolean | undefined
  /** Count whom the import would invite, in a dry run. */
  readonly countsInvited?: boolean | undefined
  readonly columns?: ColumnNames | undefined
  readonly within?: Within | undefined
  /** Read no more rows than this. */
  readonly maxRows?: number | undefined
  /** Skip rows on earlier lines. */
  readonly fromLine?: number | undefined
  /** Start no further batch after this many refused rows; running batches are finished. */
  readonly maxErrors?: number | undefined
  /** Keep the problems of this many refused rows; the others are counted. All are kept if it is absent. */
  readonly keptErrors?: number | undefined
  /** How many independent batches may be written at the same time. */
  readonly connections?: number | undefined
  onProgress?(progress: ImportCounts): void
}

export interface ImportCounts {
  readonly rows: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly failed: number
}

export interface FailedRow {
  readonly line: number
  readonly errors: readonly InputProblem[]
}

export interface ImportSummary extends ImportCounts {
  readonly id: string
  /** Whether the file was read to its end. */
  readonly complete: boolean
  /** The line to continue at if it was not. */
  readonly nextLine: number
  /** Fewer than `failed` if not all are kept. */
  readonly errors: readonly FailedRow[]
  /** How many people the import would invite, if that was counted and rows of the kind invite people. */
  readonly invited?: number
}

/** How far an import is: enough to continue it in another process. */
export interface ImportState {
  readonly counts: ImportCounts
  readonly errors: readonly FailedRow[]
  /** Rows before this line are done. */
  readonly nextLine: number
}

/**
 * Runs the work of one batch, which takes the way to attempt its rows and returns how far the import is then. The
 * state is to be stored in the same transaction as the rows.
 */
export type ImportStep = (work: (attempt: Attempt) => Promise<ImportState>) => Promise<void>
