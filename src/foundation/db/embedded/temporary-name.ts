import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { isRunning } from './processes.ts'

/** A name beside `path` for something unfinished, telling whose work it is. */
export function temporaryName(path: string): string {
  return `${path}.new-${process.pid}-${randomBytes(4).toString('hex')}`
}

export function findMaker(path: string): number | undefined {
  const pid = /\.new-(\d+)-[0-9a-f]{8}(?:\.\w+)?$/.exec(basename(path))?.[1]
  return pid === undefined ? undefined : Number(pid)
}

/** Whether something unfinished was left by a process that is gone. */
export async function isAbandoned(path: string): Promise<boolean> {
  const pid = findMaker(path)
  if (pid === undefined) return false
  if (pid !== process.pid) return !(await isRunning(pid))
  // In a container the server has the same number in every life.
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && found.mtimeMs < performance.timeOrigin
}
