import { randomBytes } from 'node:crypto'
import { link, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from './embedded-postgres-error.ts'
import { acceptsSignals, findProcess, type RunningProcess } from './processes.ts'
import { findText } from './write-once.ts'

/** The content of postmaster.pid. PostgreSQL adds the later lines while it starts. */
export interface PostmasterFile {
  readonly pid: number
  readonly port: number | undefined
  readonly socketFolder: string | undefined
  readonly ready: boolean
}

export function parsePostmasterFile(text: string): PostmasterFile | undefined {
  const lines = text.split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  return {
    pid,
    port: Number(lines[3]) || undefined,
    socketFolder: lines[4] || undefined,
    ready: lines[7]?.trim() === 'ready',
  }
}

/** The PostgreSQL that runs on this folder now; the file of a process that is gone is ignored. */
export async function findPostmaster(clusterDir: string): Promise<PostmasterFile | undefined> {
  const text = await findText(join(clusterDir, 'postmaster.pid'))
  const file = text === undefined ? undefined : parsePostmasterFile(text)
  if (file === undefined || !(await isPostmasterOf(file.pid, clusterDir))) return undefined
  return file
}

/** The socket folder of a PostgreSQL that is gone and could not remove it. */
export async function findLeftSocketFolder(clusterDir: string): Promise<string | undefined> {
  const text = await findText(join(clusterDir, 'postmaster.pid'))
  const file = text === undefined ? undefined : parsePostmasterFile(text)
  if (file === undefined || (await isPostmasterOf(file.pid, clusterDir))) return undefined
  return file.socketFolder
}

async function isPostmasterOf(pid: number, clusterDir: string): Promise<boolean> {
  if (!acceptsSignals(pid)) return false
  const found = await findProcess(pid)
  return found !== undefined && looksLikePostmasterOf(found, clusterDir)
}

/**
 * Says yes in doubt, as for a postgres that was started by hand with a relative path: removing the lock file
 * of a running server is much worse than waiting for a process that is not ours.
 */
export function looksLikePostmasterOf(
  { command }: Pick<RunningProcess, 'command'>,
  clusterDir: string,
): boolean {
  if (command.startsWith('postgres: ')) return false
  const words = `${command} `
  if (words.includes(` -D ${clusterDir} `)) return true
  return words.includes('postgres ') && !words.includes(' -D /')
}

/**
 * PostgreSQL ignores a lock file whose process is gone. But if another process of the same user has that pid
 * now, PostgreSQL refuses to start, so such a file is removed here.
 */
export async function removeStaleLockFile(path: string, clusterDir: string): Promise<void> {
  const text = await findText(path)
  const pid = text === undefined ? undefined : parsePostmasterFile(text)?.pid
  if (pid === undefined || !acceptsSignals(pid) || (await isPostmasterOf(pid, clusterDir))) return
  // Rename first, then read again: another server may have replaced the file in between.
  const aside = `${path}.stale-${randomBytes(4).toString('hex')}`
  try {
    await rename(path, aside)
    if ((await findText(aside)) !== text) await link(aside, path)
    await unlink(aside)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'EEXIST') throw error
  }
}
