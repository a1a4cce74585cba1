import type { Readable } from 'node:stream'

export interface StoredBytes {
  /** What `read` finds them by: where they lie, and a digest of what they are. */
  readonly key: string
  readonly sizeBytes: number
  readonly sha256: Buffer
  /** The first bytes, by which formats can be told. */
  readonly head: Buffer
}

/** Thrown when more bytes come than are wanted; nothing is kept of them. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError'
}

/** Where uploaded bytes lie. Equal bytes in one folder are kept once. */
export interface FileStore {
  write(folder: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBytes>
  read(key: string): Promise<Readable | undefined>
}
