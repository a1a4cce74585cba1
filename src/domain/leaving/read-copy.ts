import type { FileStore } from '../../foundation/storage/file-store.ts'
import { lineReader } from '../../foundation/tabular/csv-reader.ts'
import type { FileRecord } from '../../foundation/tabular/read-records.ts'
import { readJobFile } from '../jobs/job-file.ts'

export type CopyRow = Readonly<Record<string, unknown>>

/** A part of a copy: the heading of a section, or one of its rows. */
export type CopyLine =
  | { readonly kind: 'section'; readonly section: string; readonly title: string }
  | { readonly kind: 'row'; readonly section: string; readonly row: CopyRow }

/** The lines of a stored copy, one after another. */
export async function* readCopy(
  store: FileStore,
  keys: readonly string[],
): AsyncGenerator<CopyLine, void, void> {
  const reader = lineReader(Number.POSITIVE_INFINITY)
  const decoder = new TextDecoder()
  for await (const bytes of readJobFile(store, { keys })) {
    for (const found of reader.push(decoder.decode(bytes, { stream: true }))) yield parse(found)
  }
  for (const found of reader.end()) yield parse(found)
}

function parse(found: FileRecord<string>): CopyLine {
  if (!('content' in found)) throw new Error('a line of a copy is too long')
  const [section, content] = JSON.parse(found.content) as [string, string | CopyRow]
  return typeof content === 'string'
    ? { kind: 'section', section, title: content }
    : { kind: 'row', section, row: content }
}

/** The copy as one JSON object, with a list for each section. */
export async function* copyAsJson(
  lines: AsyncIterable<CopyLine>,
  about: CopyRow,
): AsyncGenerator<string, void, void> {
  yield `{\n"about": ${JSON.stringify(about)}`
  let isOpen = false
  let isEmpty = true
  for await (const line of lines) {
    if (line.kind === 'section') {
      yield `${isOpen ? '\n]' : ''},\n${JSON.stringify(line.section)}: [`
      isOpen = true
      isEmpty = true
    } else {
      yield `${isEmpty ? '' : ','}\n${JSON.stringify(line.row)}`
      isEmpty = false
    }
  }
  yield isOpen ? '\n]\n}\n' : '\n}\n'
}
