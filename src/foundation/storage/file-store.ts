import type { Readable } from 'node:stream'

export interface ReceivedBytes {
  readonly sizeBytes: number
  readonly sha256: Buffer
  /** The first bytes, to recognise the format. */
  readonly head: Buffer
}

export interface StoredBytes extends ReceivedBytes {
  /** The key for `read`: the folder and a digest of the bytes. */
  readonly key: string
}

/** Thrown if there are more bytes than permitted; none of them is kept. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError'
}

/** Thrown if the bytes cannot be stored or read at the moment; no partial file is left. */
export class FileStoreAwayError extends Error {
  override readonly name = 'FileStoreAwayError'
}

/** Stores uploaded bytes. Equal bytes in one folder are stored once. */
export interface FileStore {
  /** `check` sees the bytes before they are kept; if it throws, none of them is. */
  write(
    folder: string,
    bytes: AsyncIterable<Uint8Array>,
    maxBytes: number,
    check?: (received: ReceivedBytes) => Promise<void> | void,
  ): Promise<StoredBytes>
  read(key: string): Promise<Readable | undefined>
  /** Removes a file; one that is gone already is no error. */
  remove(key: string): Promise<void>
}

const FOLDER = /^[0-9a-f-]{1,64}$/
const KEY = /^[0-9a-f-]{1,64}\/[0-9a-f]{64}$/

export function checkFolder(folder: string): void {
  if (!FOLDER.test(folder)) throw new Error(`${folder} is no folder of the file store`)
}

export function keyOf(folder: string, sha256: Buffer): string {
  return `${folder}/${sha256.toString('hex')}`
}

/**
 * Keys come from our own rows; a key that leads out of the folder means that a row was tampered
 * with.
 */
export function isKey(key: string): boolean {
  return KEY.test(key)
}
