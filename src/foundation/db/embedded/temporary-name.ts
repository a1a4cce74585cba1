import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { isRunning } from './processes.ts'

/** A name beside `path` for an unfinished file or folder; it contains the pid of the process that makes it. */
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
