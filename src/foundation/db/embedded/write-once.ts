import { randomBytes } from 'node:crypto'
import { link, open, readFile, unlink } from 'node:fs/promises'
import { errorCode } from './embedded-postgres-error.ts'

/**
 * Creates a small private file atomically and returns its content. If several processes do this at once, one
 * of them writes the file and all get its content.
 */
export async function writeOnce(path: string, content: string): Promise<string> {
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(temporary, path)
    return content
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    return await readFile(path, 'utf8')
  } finally {
    await unlink(temporary)
  }
}

export async function findText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
