import { setImmediate as nextTurn } from 'node:timers/promises'
import { type FileRecord, type RecordReader, UnreadableFileError } from './record.ts'

/** The most that is read before the event loop runs other work. */
const SLICE_BYTES = 64 * 1024
/** The most records that are handed on at once: a slice can hold thousands of short ones. */
const MAX_RECORDS = 500

/**
 * Reads the records of a UTF-8 file while its bytes arrive. However large the pieces of the source
 * are, the event loop is blocked for one slice at most.
 */
export async function* readRecords<T>(
  source: AsyncIterable<Uint8Array>,
  reader: RecordReader<T>,
): AsyncGenerator<FileRecord<T>[], void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  const decode = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
    } catch {
      const message = 'From here on the file is not UTF-8. Save it as UTF-8 and send it again.'
      throw new UnreadableFileError(line, 'not_utf8', message)
    }
  }
  for await (const piece of source) {
    for (let start = 0; start < piece.length; start += SLICE_BYTES) {
      if (start > 0) await nextTurn()
      const found = reader.push(decode(piece.subarray(start, start + SLICE_BYTES)))
      line = (found.at(-1)?.line ?? line - 1) + 1
      yield* inParts(found)
    }
  }
  yield* inParts([...reader.push(decode()), ...reader.end()])
}

async function* inParts<T>(found: FileRecord<T>[]): AsyncGenerator<FileRecord<T>[], void, void> {
  for (let start = 0; start < found.length; start += MAX_RECORDS) {
    if (start > 0) await nextTurn()
    yield start === 0 && found.length <= MAX_RECORDS
      ? found
      : found.slice(start, start + MAX_RECORDS)
  }
}
