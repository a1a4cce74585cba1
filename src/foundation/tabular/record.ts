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
