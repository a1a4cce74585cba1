import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor } from '../actor.ts'
import { FileInParts } from '../jobs/file-in-parts.ts'
import type { JobKind } from '../jobs/job.ts'
import { startJob } from '../jobs/start-job.ts'
import { countExported, exportRows } from './export-rows.ts'
import type { ExportKind } from './kind.ts'
import type { Format } from './row-reader.ts'

export interface ExportInput {
  readonly format: Format
  readonly after?: string | undefined
  /** Values for filters of the kind's list. */
  readonly only?: Readonly<Record<string, unknown>>
}

interface ExportCursor {
  /** The key of the last row in the stored parts. */
  readonly after: string
  readonly bytes: number
}

/** In characters; see `FileInParts`. */
const PART_LENGTH = 4 * 1024 * 1024

export const TYPES: Readonly<Record<Format, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
}

/** Exports all objects of a kind into a file that the person who asked downloads. */
export function exportJob(kind: ExportKind): JobKind<ExportInput, ExportCursor> {
  return {
    name: `${kind.name.replaceAll('-', '_')}.export`,
    async run(job) {
      const { at, actor, input } = job
      const file = new FileInParts(job)
      const { format, only = {} } = input
      const total = job.total ?? (await countExported(at, actor, kind, { ...input, only }))
      const after = job.cursor?.after ?? input.after
      let rows = 0
      let last = after ?? ''
      const store = async () => {
        await file.store((sizeBytes) => ({
          cursor: { after: last, bytes: (job.cursor?.bytes ?? 0) + sizeBytes },
          done: job.done + rows,
          total,
        }))
        rows = 0
      }
      for await (const page of exportRows(at, actor, kind, { format, after, only })) {
        // The file has its heading already.
        if (page.last === undefined && job.cursor !== undefined) continue
        file.add(page.text)
        rows += page.rows
        last = page.last ?? last
        if (file.length >= PART_LENGTH) await store()
      }
      if (file.length > 0 || job.cursor === undefined) await store()
      return {
        resource: kind.name,
        rows: job.done,
        bytes: job.cursor?.bytes ?? 0,
        file_name: `${kind.name}.${format}`,
        content_type: TYPES[format],
      }
    },
  }
}

export async function startExport(
  tx: SchoolTx,
  actor: Actor,
  kind: ExportKind,
  input: ExportInput,
): Promise<string> {
  return await startJob(tx, actor, exportJob(kind), {
    input,
    title: `Export of ${kind.name.replaceAll('-', ' ')}`,
    scopes: kind.scopes.read === undefined ? [] : [kind.scopes.read],
  })
}
