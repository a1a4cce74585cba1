import { importObject } from '../bulk/bulk-operations.ts'
import { countRows, readHeadings } from '../bulk/file-headings.ts'
import { type ImportSummary, importRows } from '../bulk/import-rows.ts'
import { type ColumnNames, type Format, HeadingError, type Within } from '../bulk/row-reader.ts'
import type { JobKind } from '../jobs/job.ts'
import { fileStoreOf } from '../jobs/job-file.ts'
import { conflict, type InputProblem } from '../operation/refusal.ts'
import { rememberColumns } from '../schools/write-school.ts'
import { findKind } from './bulk-kinds.ts'

/** Rows of a file that are tried before an import. More would hold locks for long. */
export const CHECKED_ROWS = 2000

/** Refused rows that the page of a check tells. */
const TOLD_ROWS = 100

export interface CheckInput {
  readonly resource: string
  /**
   * The key of the rows in the file store; the import takes it over, or the purge removes it with
   * the job.
   */
  readonly source: string
  readonly format: Format
  readonly columns: ColumnNames
  readonly within?: Within | undefined
  /**
   * Whether a person chose them: then the next file gets them again, if this one can be read with
   * them.
   */
  readonly is_chosen?: boolean | undefined
}

export const CHECK = 'imports.check'

/**
 * Tries the first rows of a file as an import would, and undoes it: what the import would do, and
 * which rows it would refuse.
 */
export const checkJob: JobKind<CheckInput, { readonly remembered: true }> = {
  name: CHECK,
  async run(job) {
    const { id, db, actor, input } = job
    const { resource, source, format, columns, within } = input
    const files = fileStoreOf(job)
    const kind = findKind(resource)
    const readers = await Promise.all([1, 2, 3].map(() => files.read(source)))
    const [headed, counted, bytes] = readers
    if (!kind || !headed || !counted || !bytes) {
      for (const reader of readers) reader?.destroy()
      throw conflict('file_gone', 'The file of this import is gone. Choose it again.')
    }
    try {
      const headings = await readHeadings(format, headed)
      const options = {
        format,
        columns,
        within,
        dryRun: true,
        countsInvited: true,
        maxErrors: TOLD_ROWS,
        maxRows: CHECKED_ROWS,
      }
      const { problems, ...summary }: Tried = await importRows(
        db,
        actor,
        kind,
        bytes,
        options,
      ).catch<Tried>(unheaded)
      if (input.is_chosen === true && problems === undefined) {
        await job.step(async (tx) => {
          await rememberColumns(tx, resource, columns)
          return { cursor: { remembered: true }, done: summary.rows }
        })
      }
      return {
        ...importObject(kind, true, { ...summary, id }),
        heading_problems: problems,
        invited: summary.invited,
        within: Object.keys(within ?? {}),
        file_rows: await countRows(format, counted),
        columns: headings.map(({ heading, sample }) => ({
          heading,
          sample,
          // A heading may have the name of a member that every object has.
          column: (Object.hasOwn(columns, heading) && columns[heading]) || '',
        })),
      }
    } finally {
      for (const reader of readers) reader?.destroy()
    }
  },
}

interface Tried extends ImportSummary {
  readonly problems?: readonly InputProblem[]
}

/**
 * No row can be read with these columns. The check is done all the same, so that its page can ask
 * for others.
 */
function unheaded(error: unknown): Tried {
  if (!(error instanceof HeadingError)) throw error
  const none = { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0 }
  return { id: '', ...none, complete: false, nextLine: 1, errors: [], problems: error.problems }
}
