import { isUtf8 } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** One record of a file, with the number of the line on which it begins. */
export type FileRecord<T> =
  | { readonly line: number; readonly content: T }
  | { readonly line: number; readonly problem: RecordProblem }

export interface RecordProblem {
  readonly code: 'too_long' | 'malformed'
  readonly detail: string
}

/** Splits a file into records while it arrives. It keeps only the unfinished record in memory. */
export interface RecordReader<T> {
  push(text: string): FileRecord<T>[]
  /** The last record, if the file does not end with a line break. */
  end(): FileRecord<T>[]
}

/** Longer than any object that we store, in either format. */
export const MAX_RECORD_LENGTH = 1024 * 1024

export const TOO_LONG: RecordProblem = {
  code: 'too_long',
  detail: 'The record is longer than 1 MiB. Shorten it, or look for a line break that is missing.',
}

/** The file cannot be read from `line` on; all records before it were returned. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError'
  readonly line: number
  readonly code: 'too_long' | 'unclosed_quote' | 'not_utf8'

  constructor(line: number, code: UnreadableFileError['code'], message: string) {
    super(message)
    this.line = line
    this.code = code
  }
}

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
  const decode = (bytes?: Uint8Array): string | undefined => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
    } catch {
      return undefined
    }
  }
  /** The bytes of a character whose end has not arrived. */
  let begun: Uint8Array = new Uint8Array()
  let line = 1
  for await (const piece of source) {
    for (let start = 0; start < piece.length; start += SLICE_BYTES) {
      if (start > 0) await nextTurn()
      const slice = piece.subarray(start, start + SLICE_BYTES)
      const text = decode(slice)
      if (text === undefined) {
        const good = goodLines(Buffer.concat([begun, slice]))
        yield* inParts(reader.push(good))
        throw notUtf8(line + countLines(good))
      }
      line += countLines(text)
      begun = unfinished(Buffer.concat([begun, slice.subarray(-LONGEST_CHARACTER)]))
      yield* inParts(reader.push(text))
    }
  }
  const last = decode()
  if (last === undefined) throw notUtf8(line)
  yield* inParts([...reader.push(last), ...reader.end()])
}

const LONGEST_CHARACTER = 4
const LF = 0x0a

function notUtf8(line: number): UnreadableFileError {
  const message = 'From here on the file is not UTF-8. Save it as UTF-8 and send it again.'
  return new UnreadableFileError(line, 'not_utf8', message)
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/**
 * The lines before the first one that is not UTF-8. No character has the byte of a line break
 * inside.
 */
function goodLines(bytes: Buffer): string {
  let end = 0
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (!isUtf8(bytes.subarray(end, at))) break
    end = at + 1
  }
  return new TextDecoder().decode(bytes.subarray(0, end))
}

/** The last bytes that are only a part of a character. */
function unfinished(bytes: Uint8Array): Uint8Array {
  const first = bytes.findLastIndex((byte) => (byte & 0xc0) !== 0x80)
  const lead = bytes[first] ?? 0
  const length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  return bytes.length - first < length ? bytes.subarray(first) : new Uint8Array()
}

async function* inParts<T>(found: FileRecord<T>[]): AsyncGenerator<FileRecord<T>[], void, void> {
  for (let start = 0; start < found.length; start += MAX_RECORDS) {
    if (start > 0) await nextTurn()
    yield start === 0 && found.length <= MAX_RECORDS
      ? found
      : found.slice(start, start + MAX_RECORDS)
  }
}
