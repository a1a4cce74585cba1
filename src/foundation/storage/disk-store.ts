import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { randomSecret } from '../crypto/random.ts'
import {
  checkFolder,
  type FileStore,
  FileTooLargeError,
  isKey,
  keyOf,
  type ReceivedBytes,
} from './file-store.ts'

/** Not the name of any folder of a school. */
const INCOMING = 'incoming'

/** Files in a folder of this machine. Servers on several machines must share the folder. */
export function createDiskStore(root: string): FileStore {
  const home = resolve(root)
  return {
    async write(folder, bytes, maxBytes, check) {
      checkFolder(folder)
      return await spool(join(home, INCOMING), bytes, maxBytes, async (path, spooled) => {
        await check?.(spooled)
        const key = keyOf(folder, spooled.sha256)
        await mkdir(join(home, folder), { recursive: true, mode: 0o700 })
        await rename(path, join(home, key))
        return { key, ...spooled }
      })
    },

    async read(key) {
      if (!isKey(key)) return undefined
      const file = await open(join(home, key), 'r').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      })
      return file?.createReadStream()
    },

    async remove(key) {
      if (!isKey(key)) return
      await rm(join(home, key), { force: true })
      // The last file of a job leaves an empty folder. One with files stays.
      await rmdir(dirname(join(home, key))).catch(() => undefined)
    },
  }
}

const HEAD_BYTES = 16
const PREFIX = 'incoming-'
/** Longer than any upload takes: what is older was left by a process that died. */
const LEFTOVER_MS = 24 * 3_600_000

/**
 * Receives all bytes before they are used. They are in a temporary file below `place` while `use`
 * runs, which may move the file; afterwards the file is removed.
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
