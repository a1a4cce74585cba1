import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import type { JobKind } from '../jobs/job.ts'
import { startJob } from '../jobs/start-job.ts'
import { conflict, OperationRefused } from '../operation/refusal.ts'
import { readScopesOf } from '../operation/write-answer.ts'
import { savepointsIn } from './attempt.ts'
import { importObject } from './bulk-operations.ts'
import { noFileStore } from './export-job.ts'
import { importInSteps } from './import-rows.ts'
import type { ImportState } from './import-state.ts'
import type { BulkKind } from './kind.ts'
import { type Format, HeadingError } from './row-reader.ts'

export interface ImportInput {
  /** The key of the rows in the file store; the purge removes it with the job. */
  readonly source: string
  readonly format: Format
  readonly from_line?: number | undefined
  readonly max_errors?: number | undefined
}

/** Imports a file that is in the file store. A batch of rows and the place in the file are one transaction. */
export function importJob(kind: BulkKind): JobKind<ImportInput, ImportState> {
  return {
    name: `${kind.name.replaceAll('-', '_')}.import`,
    async run(job) {
      if (job.files === undefined) throw noFileStore()
      const { source, format, from_line: fromLine, max_errors: maxErrors } = job.input
      const bytes = await job.files.read(source)
      if (bytes === undefined)
        throw conflict('file_gone', 'The file of this import is gone. Start it again.')
      try {
        const summary = await importInSteps(
          job.actor,
          kind,
          bytes,
          { format, fromLine, maxErrors },
          (work) =>
            job.step(async (tx) => {
              const state = await work(savepointsIn(tx))
              return { cursor: state, done: state.counts.rows }
            }),
          job.cursor,
        )
        return importObject(kind, false, { ...summary, id: job.id })
      } catch (error) {
        if (!(error instanceof HeadingError)) throw error
        throw new OperationRefused({ kind: 'invalid', problems: error.problems })
      } finally {
        bytes.destroy()
      }
    },
  }
}

/** A token that sees the job learns what the rows changed, so it needs the read scope besides the write scope. */
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
