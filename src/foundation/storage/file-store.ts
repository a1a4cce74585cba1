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

/** Thrown when the bytes cannot be stored or had at the moment; nothing is half written. */
export class FileStoreAwayError extends Error {
  override readonly name = 'FileStoreAwayError'
}

/** Where uploaded bytes lie. Equal bytes in one folder are kept once. */
export interface FileStore {
  write(folder: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBytes>
  read(key: string): Promise<Readable | undefined>
}

const FOLDER = /^[0-9a-f-]{1,64}$/
const KEY = /^[0-9a-f-]{1,64}\/[0-9a-f]{64}$/

export function checkFolder(folder: string): void {
  if (!FOLDER.test(folder)) throw new Error(`${folder} is no folder of the file store`)
}

export function keyOf(folder: string, sha256: Buffer): string {
  return `${folder}/${sha256.toString('hex')}`
}

/** Keys come from our own rows; one that leads elsewhere is a row that was tampered with. */
export function isKey(key: string): boolean {
  return KEY.test(key)
}
