import { createHash } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { randomSecret } from '../crypto/random.ts'
import { FileTooLargeError, type StoredBytes } from './file-store.ts'

const HEAD_BYTES = 16

type Spooled = Omit<StoredBytes, 'key'>

/**
 * Receives all bytes before they are used. They are in a temporary file below `place` while `use` runs, which may
 * move the file; afterwards the file is removed.
 */
export async function spool<R>(
  place: string,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
  use: (path: string, spooled: Spooled) => Promise<R>,
): Promise<R> {
  await mkdir(place, { recursive: true, mode: 0o700 })
  const path = join(place, `incoming-${randomSecret(12).toString('hex')}`)
  try {
    return await use(path, await receive(path, bytes, maxBytes))
  } finally {
    await rm(path, { force: true })
  }
}

async function receive(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Spooled> {
  const file = await open(path, 'wx', 0o600)
  const hash = createHash('sha256')
  let sizeBytes = 0
  let head = Buffer.alloc(0)
  try {
    for await (const chunk of bytes) {
      sizeBytes += chunk.length
      if (sizeBytes > maxBytes) throw new FileTooLargeError(`more than ${maxBytes} bytes`)
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES)
      hash.update(chunk)
      await file.writeFile(chunk)
    }
    // Flush to disk before a row says that the file exists.
    await file.sync()
  } finally {
    await file.close()
  }
  return { sizeBytes, sha256: hash.digest(), head }
}
