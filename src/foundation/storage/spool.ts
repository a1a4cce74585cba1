import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { randomSecret } from '../crypto/random.ts'
import { FileTooLargeError, type ReceivedBytes } from './file-store.ts'

const HEAD_BYTES = 16
const PREFIX = 'incoming-'
/** Longer than any upload takes: what is older was left by a process that died. */
const LEFTOVER_MS = 24 * 3_600_000

/**
 * Receives all bytes before they are used. They are in a temporary file below `place` while `use` runs, which may
 * move the file; afterwards the file is removed.
 */
export async function spool<R>(
  place: string,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
  use: (path: string, spooled: ReceivedBytes) => Promise<R>,
): Promise<R> {
  await mkdir(place, { recursive: true, mode: 0o700 })
  await removeLeftovers(place)
  const path = join(place, `${PREFIX}${randomSecret(12).toString('hex')}`)
  try {
    return await use(path, await receive(path, bytes, maxBytes))
  } finally {
    await rm(path, { force: true })
  }
}

async function removeLeftovers(place: string): Promise<void> {
  const names = (await readdir(place)).filter((name) => name.startsWith(PREFIX))
  for (const name of names) {
    const path = join(place, name)
    // It is gone if its upload ends meanwhile.
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && found.mtimeMs < Date.now() - LEFTOVER_MS) {
      await rm(path, { force: true })
    }
  }
}

async function receive(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<ReceivedBytes> {
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
