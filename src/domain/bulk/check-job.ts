import type { JobKind } from '../jobs/job.ts'
import { conflict, OperationRefused } from '../operation/refusal.ts'
import { importObject } from './bulk-operations.ts'
import { noFileStore } from './export-job.ts'
import { countRows, readHeadings } from './file-headings.ts'
import { importRows } from './import-rows.ts'
import { findKind } from './kinds.ts'
import { type ColumnNames, type Format, HeadingError } from './row-reader.ts'

/** Rows of a file that are tried before an import. More would hold locks for long. */
export const CHECKED_ROWS = 2000
/** Refused rows that the page of a check tells. */
const TOLD_ROWS = 100

export interface CheckInput {
  readonly resource: string
  /** The key of the rows in the file store; the import takes it over, or the purge removes it with the job. */
  readonly source: string
  readonly format: Format
  readonly columns: ColumnNames
}

export const CHECK = 'imports.check'

/** Tries the first rows of a file as an import would, and undoes it: what the import would do, and which rows it would refuse. */
export const checkJob: JobKind<CheckInput, never> = {
  name: CHECK,
  async run({ id, at, actor, files, input: { resource, source, format, columns } }) {
    if (files === undefined) throw noFileStore()
    const kind = findKind(resource)
    const readers = await Promise.all([1, 2, 3].map(() => files.read(source)))
    const [headed, counted, bytes] = readers
    if (!kind || !headed || !counted || !bytes) {
      for (const reader of readers) reader?.destroy()
      throw conflict('file_gone', 'The file of this import is gone. Choose it again.')
    }
    try {
      const headings = await readHeadings(format, headed)
      const summary = await importRows(at, actor, kind, bytes, {
        format,
        columns,
        dryRun: true,
        maxErrors: TOLD_ROWS,
        maxRows: CHECKED_ROWS,
      })
      return {
        ...importObject(kind, true, { ...summary, id }),
        file_rows: await countRows(format, counted),
        columns: headings.map(({ heading, sample }) => ({
          heading,
          sample,
          column: columns[heading] ?? '',
        })),
      }
    } catch (error) {
      if (!(error instanceof HeadingError)) throw error
      throw new OperationRefused({ kind: 'invalid', problems: error.problems })
    } finally {
      for (const reader of readers) reader?.destroy()
    }
  },
}
