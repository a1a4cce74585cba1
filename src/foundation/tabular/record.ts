/** One record of a file that comes in pieces, with the number of the line on which it begins. */
export type FileRecord<T> =
  | { readonly line: number; readonly content: T }
  | { readonly line: number; readonly problem: RecordProblem }

export interface RecordProblem {
  readonly code: 'too_long' | 'malformed'
  readonly detail: string
}

/** Takes a file apart as it arrives; nothing but an unfinished record is ever kept. */
export interface RecordReader<T> {
  push(text: string): FileRecord<T>[]
  /** What the file ended with, if its last record has no line break. */
  end(): FileRecord<T>[]
}

/** Longer than any object we store can become in either format. */
export const MAX_RECORD_LENGTH = 2 * 1024 * 1024

export const TOO_LONG: RecordProblem = {
  code: 'too_long',
  detail: 'The record is longer than 2 MiB. Shorten it, or look for a line break that is missing.',
}

/** The file cannot be read from `line` on; every record before it was handed over. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError'
  readonly line: number
  readonly code: string

  constructor(line: number, code: string, message: string) {
    super(message)
    this.line = line
    this.code = code
  }
}
