import { constants } from 'node:fs'
import { copyFile, type FileHandle, open, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { withFileErrors } from './embedded-postgres-error.ts'

const LARGEST_BYTES = 20 * 1024 * 1024
const TRIM_EVERY_MS = 60 * 60 * 1000

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

/** Keeps the current log and the one before, so that the log of a long run does not fill the disk. */
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
