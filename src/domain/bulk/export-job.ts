import { randomBytes } from 'node:crypto'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { keyOf } from '../../foundation/storage/file-store.ts'
import type { Actor } from '../actor.ts'
import { isLeaseLost, type JobKind } from '../jobs/job.ts'
import { startJob } from '../jobs/start-job.ts'
import { conflict, type OperationRefused } from '../operation/refusal.ts'
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

/** The file is stored in parts, because a store cannot append. A part is in memory while it is made. */
const PART_BYTES = 4 * 1024 * 1024
/** Room for the page that crosses the line. */
const MOST_PART_BYTES = 64 * 1024 * 1024

export const TYPES: Readonly<Record<Format, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
}

/** Exports all objects of a kind into a file that the person who asked downloads. */
export function exportJob(kind: ExportKind): JobKind<ExportInput, ExportCursor> {
  return {
    name: `${kind.name.replaceAll('-', '_')}.export`,
    async run(job) {
      const { files, at, actor, input } = job
      if (files === undefined) throw noFileStore()
      const { format, only = {} } = input
      const total = job.total ?? (await countExported(at, actor, kind, { ...input, only }))
      const after = job.cursor?.after ?? input.after
      // Of this run alone: a run that lost its lease removes its part, and another may have stored the same bytes.
      const folder = `${job.id}-${randomBytes(4).toString('hex')}`
      let texts: string[] = []
      let length = 0
      let rows = 0
      const store = async (last: string) => {
        const { key, sizeBytes } = await files.write(
          folder,
          // Page by page: to encode and digest a whole part at once would hold up other requests.
          encoded(texts),
          MOST_PART_BYTES,
          ({ sha256 }) => job.willStore(keyOf(folder, sha256)),
        )
        const done = job.done + rows
        const cursor = { after: last, bytes: (job.cursor?.bytes ?? 0) + sizeBytes }
        try {
          await job.step(async () => ({ cursor, done, total, files: [key] }))
        } catch (error) {
          // The run that has the lease now stores this part itself.
          if (isLeaseLost(error)) await files.remove(key)
          throw error
        }
        texts = []
        length = 0
        rows = 0
      }
      let last = after ?? ''
      for await (const page of exportRows(at, actor, kind, { format, after, only })) {
        // The file has its heading already.
        if (page.last === undefined && job.cursor !== undefined) continue
        texts.push(page.text)
        length += page.text.length
        rows += page.rows
        last = page.last ?? last
        if (length >= PART_BYTES) await store(last)
      }
      if (texts.length > 0 || job.cursor === undefined) await store(last)
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

async function* encoded(texts: readonly string[]): AsyncGenerator<Buffer, void, void> {
  for (const text of texts) yield Buffer.from(text)
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

export function noFileStore(): OperationRefused {
  return conflict('no_file_store', 'This server stores no files, so it cannot do this as a job.')
}
