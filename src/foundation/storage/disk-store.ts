import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { randomSecret } from '../crypto/random.ts'
import { type FileStore, FileTooLargeError } from './file-store.ts'

const HEAD_BYTES = 16
const FOLDER = /^[0-9a-f-]{1,64}$/
const KEY = /^[0-9a-f-]{1,64}\/[0-9a-f]{64}$/

/** Files below a folder of this machine. Servers on several machines must share that folder. */
export function createDiskStore(root: string): FileStore {
  const home = resolve(root)
  return {
    async write(folder, bytes, maxBytes) {
      if (!FOLDER.test(folder)) throw new Error(`${folder} is no folder of the file store`)
      const place = join(home, folder)
      await mkdir(place, { recursive: true, mode: 0o700 })
      const temporary = join(place, `incoming-${randomSecret(12).toString('hex')}`)
      const file = await open(temporary, 'wx', 0o600)
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
        // On the disk before the database says that it is there.
        await file.sync()
        await file.close()
        const sha256 = hash.digest()
        const name = sha256.toString('hex')
        await rename(temporary, join(place, name))
        return { key: `${folder}/${name}`, sizeBytes, sha256, head }
      } catch (error) {
        await file.close().catch(() => undefined)
        await rm(temporary, { force: true })
        throw error
      }
    },

    async read(key) {
      // Keys come from our own rows; one that leads elsewhere is a row that was tampered with.
      if (!KEY.test(key)) return undefined
      const file = await open(join(home, key), 'r').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      })
      return file?.createReadStream()
    },
  }
}
