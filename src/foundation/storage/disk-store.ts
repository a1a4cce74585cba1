import { mkdir, open, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { checkFolder, type FileStore, isKey, keyOf } from './file-store.ts'
import { spool } from './spool.ts'

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
