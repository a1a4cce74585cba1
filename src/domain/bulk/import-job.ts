import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { csvLine, guarded } from '../../foundation/tabular/csv-reader.ts'
import type { Actor } from '../actor/actor.ts'
import type { JobKind, JobResult, RunningJob } from '../jobs/job.ts'
import { FileInParts, fileStoreOf } from '../jobs/job-file.ts'
import { startJob } from '../jobs/start-job.ts'
import { conflict, OperationRefused } from '../operation/refusal.ts'
import { readScopesOf } from '../operation/write-answer.ts'
import { importObject } from './bulk-operations.ts'
import { TYPES } from './export-job.ts'
import { type ImportState, type ImportSummary, importInSteps } from './import-rows.ts'
import type { BulkKind } from './kind.ts'
import { savepointsIn } from './plan-rows.ts'
import { type ColumnNames, type Format, HeadingError, type Within } from './row-reader.ts'

export interface ImportInput {
  /** The key of the rows in the file store; the purge removes it with the job. */
  readonly source: string
  readonly format: Format
  readonly columns?: ColumnNames | undefined
  readonly within?: Within | undefined
  readonly from_line?: number | undefined
  readonly max_errors?: number | undefined
  /** Go on to the end of the file whatever is refused, and keep the problems of this many rows. */
  readonly kept_errors?: number | undefined
  /** How many rows the file has, if a check counted them. */
  readonly rows?: number | undefined
}

interface ImportCursor extends ImportState {
  /** Whether the file of refused rows is stored. */
  readonly isTold?: boolean
}

/**
 * Imports a file that is in the file store. A batch of rows and the place in the file are one
 * transaction.
 */
export function importJob(kind: BulkKind): JobKind<ImportInput, ImportCursor> {
  return {
    name: `${kind.name.replaceAll('-', '_')}.import`,
    async run(job) {
      const files = fileStoreOf(job)
      const { source, format, columns, within } = job.input
      const { from_line: fromLine, kept_errors: keptErrors } = job.input
      const maxErrors = keptErrors === undefined ? job.input.max_errors : Number.POSITIVE_INFINITY
      const bytes = await files.read(source)
      if (bytes === undefined)
        throw conflict('file_gone', 'The file of this import is gone. Start it again.')
      try {
        const summary = await importInSteps(
          job.actor,
          kind,
          bytes,
          { format, columns, within, fromLine, maxErrors, keptErrors },
          (work) =>
            job.step(async (tx) => {
              const state = await work(savepointsIn(tx))
              return { cursor: state, done: state.counts.rows, total: job.input.rows }
            }),
          job.cursor,
        )
        const told = await tellRefused(job, kind, summary)
        return { ...importObject(kind, false, { ...summary, id: job.id }), ...told }
      } catch (error) {
        if (!(error instanceof HeadingError)) throw error
        throw new OperationRefused({ kind: 'invalid', problems: error.problems })
      } finally {
        bytes.destroy()
      }
    },
  }
}

/**
 * Stores the refused rows as a file for the person who started the import, with the line and the
 * reason of each.
 */
async function tellRefused(
  job: RunningJob<ImportInput, ImportCursor>,
  kind: BulkKind,
  { errors, rows, created, updated, unchanged, failed, nextLine }: ImportSummary,
): Promise<JobResult> {
  // Other callers get them in the result.
  if (errors.length === 0 || job.input.columns === undefined) return {}
  const lines = errors.flatMap(({ line, errors: problems }) =>
    problems.map(({ pointer, detail }) =>
      csvLine([String(line), guarded(pointer.slice(1)), guarded(detail)]),
    ),
  )
  const text = [csvLine(['line', 'column', 'problem']), ...lines].join('')
  if (job.cursor?.isTold !== true) {
    const file = new FileInParts(job)
    file.add(text)
    const counts = { rows, created, updated, unchanged, failed }
    const cursor = { counts, errors, nextLine, isTold: true }
    await file.store(() => ({ cursor, done: rows }))
  }
  return {
    file_name: `${kind.name}-refused.csv`,
    content_type: TYPES.csv,
    bytes: Buffer.byteLength(text),
  }
}

/**
 * A token that sees the job learns what the rows changed, so it needs the read scope besides the
 * write scope.
 */
export function importScopes({ scopes }: BulkKind): readonly string[] {
  return scopes.write === undefined ? [] : [scopes.write, ...readScopesOf([scopes.write])]
}

/** The bytes are in the file store already, in a folder with the name of the job. */
export async function startImport(
  tx: SchoolTx,
  actor: Actor,
  kind: BulkKind,
  id: string,
  input: ImportInput,
): Promise<void> {
  await startJob(tx, actor, importJob(kind), {
    id,
    input,
    title: `Import of ${kind.name.replaceAll('-', ' ')}`,
    scopes: importScopes(kind),
  })
}
