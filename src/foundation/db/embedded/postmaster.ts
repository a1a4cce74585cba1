import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { link, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Account,
  acceptsSignals,
  CLEAN_ENVIRONMENT,
  findProcess,
  isRunning,
  listProcesses,
  type RunningProcess,
  spawnIds,
} from './account.ts'
import { findText, openLog, sizeOfLog, trimLog } from './data-folder.ts'
import { errorCode } from './embedded-postgres-error.ts'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Launched {
  readonly pid: number
  readonly socketFolder: string
  /** The size of the log when this run started. */
  readonly logOffset: number
  readonly exited: Promise<Exit>
  findExit(): Exit | undefined
}

export interface Launch {
  readonly binaries: string
  readonly account: Account
  readonly clusterDir: string
  readonly socketFolder: string
  readonly settings: Readonly<Record<string, string>>
  readonly logFile: string
}

/**
 * Detached, in its own process group: Ctrl-C in the terminal reaches only the server, which
 * finishes its requests first and then stops PostgreSQL. PostgreSQL also survives a killed server.
 */
export async function launchPostmaster(launch: Launch): Promise<Launched> {
  await trimLog(launch.logFile)
  const log = await openLog(launch.logFile)
  try {
    const logOffset = await sizeOfLog(launch.logFile)
    const settings = Object.entries(launch.settings).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ])
    const child = spawn(
      join(launch.binaries, 'bin', 'postgres'),
      ['-D', launch.clusterDir, ...settings],
      {
        cwd: '/',
        env: CLEAN_ENVIRONMENT,
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
        ...spawnIds(launch.account),
      },
    )
    child.unref()
    let exit: Exit | undefined
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }))
    })
    void exited.then((ended) => {
      exit = ended
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    return {
      pid: child.pid ?? 0,
      socketFolder: launch.socketFolder,
      logOffset,
      exited,
      findExit: () => exit,
    }
  } finally {
    await log.close()
  }
}

/**
 * SIGINT ends sessions and writes all changes to disk. After SIGQUIT and SIGKILL the next start
 * replays the write-ahead log instead. None of them loses a committed row.
 */
export async function endPostmaster(pid: number): Promise<void> {
  const steps = [
    { signal: 'SIGINT', patienceMs: 20_000 },
    { signal: 'SIGQUIT', patienceMs: 5_000 },
    { signal: 'SIGKILL', patienceMs: 5_000 },
  ] as const
  for (const { signal, patienceMs } of steps) {
    sendSignal(pid, signal)
    const deadline = Date.now() + patienceMs
    while (Date.now() < deadline) {
      if (!(await isRunning(pid))) return
      await sleep(15)
    }
  }
}

/** Ends all sessions at once, without another write. */
export function killPostmaster(pid: number): void {
  sendSignal(pid, 'SIGQUIT')
}

/**
 * Busy sessions of a killed postmaster continue until their statement ends. They hold the shared
 * memory, so a new postmaster cannot start. Their title contains our cluster name.
 */
export async function endOrphans(
  clusterDir: string,
  titlePrefix: string,
  signal: 'SIGQUIT' | 'SIGKILL',
): Promise<void> {
  const all = await listProcesses()
  const byPid = new Map(all.map((one) => [one.pid, one]))
  for (const { pid, parent, command } of all) {
    if (!command.startsWith(`postgres: ${titlePrefix}`)) continue
    const owner = byPid.get(parent)
    if (owner !== undefined && looksLikePostmasterOf(owner, clusterDir)) continue
    sendSignal(pid, signal)
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process ended before the signal arrived, which is the aim.
  }
}

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
 * Says yes in doubt, as for a postgres that was started by hand with a relative path: removing the
 * lock file of a running server is much worse than waiting for a process that is not ours.
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
 * PostgreSQL ignores a lock file whose process is gone. But if another process of the same user has
 * that pid now, PostgreSQL refuses to start, so such a file is removed here.
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
