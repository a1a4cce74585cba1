import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import {
  copyFile,
  type FileHandle,
  link,
  open,
  readFile,
  stat,
  truncate,
  unlink,
} from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isRunning } from './account.ts'
import { errorCode, withFileErrors } from './embedded-postgres-error.ts'

/**
 * Creates a small private file atomically and returns its content. If several processes do this at
 * once, one of them writes the file and all get its content.
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

/**
 * A name beside `path` for an unfinished file or folder; it contains the pid of the process that
 * makes it.
 */
export function temporaryName(path: string): string {
  return `${path}.new-${process.pid}-${randomBytes(4).toString('hex')}`
}

export function findMaker(path: string): number | undefined {
  const pid = /\.new-(\d+)-[0-9a-f]{8}(?:\.\w+)?$/.exec(basename(path))?.[1]
  return pid === undefined ? undefined : Number(pid)
}

/** Whether the process that made this unfinished file or folder is gone. */
export async function isAbandoned(path: string): Promise<boolean> {
  const pid = findMaker(path)
  if (pid === undefined) return false
  if (pid !== process.pid) return !(await isRunning(pid))
  // In a container the server has the same pid after each restart.
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && found.mtimeMs < performance.timeOrigin
}

const LARGEST_BYTES = 20 * 1024 * 1024
const TRIM_EVERY_MS = 60 * 60 * 1000

/** The secret of the installation, made with the first database of the folder. */
export const SECRET_FILE = 'secret'

/** There while a command fills a new database, which nothing may start before it is done. */
export const UNFINISHED_FILE = 'database-unfinished'

export function logFileOf(home: string): string {
  return join(home, 'postgresql.log')
}

/** Opened for appending, so that the file can be emptied while PostgreSQL runs. */
export async function openLog(path: string): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants
  return withFileErrors(path, () => open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600))
}

export async function sizeOfLog(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0
}

/** The last lines written after `offset`. */
export async function readLog(path: string, offset: number): Promise<string> {
  const handle = await open(path, 'r')
  try {
    const size = (await handle.stat()).size
    const from = Math.max(Math.min(offset, size), size - 16 * 1024)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

/**
 * Keeps the current log and the one before, so that the log of a long run does not fill the disk.
 */
export async function trimLog(path: string): Promise<void> {
  if ((await sizeOfLog(path)) <= LARGEST_BYTES) return
  await copyFile(path, `${path}.1`)
  await truncate(path)
}

export function keepLogTrimmed(path: string): () => void {
  const timer = setInterval(() => trimLog(path).catch(() => {}), TRIM_EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}
