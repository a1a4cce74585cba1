import type { Actor } from '../../src/domain/actor/actor.ts'
import { exportRows } from '../../src/domain/bulk/export-job.ts'
import {
  type ImportOptions,
  type ImportSummary,
  importRows,
} from '../../src/domain/bulk/import-rows.ts'
import type { BulkKind } from '../../src/domain/bulk/kind.ts'
import type { Format } from '../../src/domain/bulk/row-reader.ts'
import type { TestSchool } from './world.ts'

export const callerAt = ({ origin }: TestSchool): Actor => ({
  roles: ['owner'],
  origin,
  via: 'command_line',
})

/** A file in chunks, as it arrives over the network. */
export async function* bytesOf(...pieces: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece)
}

export function ndjson(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

export function importInto(
  school: TestSchool,
  kind: BulkKind,
  file: string | readonly object[],
  options: Partial<ImportOptions> = {},
): Promise<ImportSummary> {
  const text = typeof file === 'string' ? file : ndjson(file)
  const wanted = { format: 'ndjson' as const, ...options }
  return importRows(school.db, callerAt(school), kind, bytesOf(text), wanted)
}

export async function exportFrom(
  school: TestSchool,
  kind: BulkKind,
  format: Format = 'ndjson',
  after?: string,
): Promise<string> {
  let file = ''
  const pages = exportRows(school.db, callerAt(school), kind, { format, after })
  for await (const { text } of pages) file += text
  return file
}
