import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, CLEAN_ENVIRONMENT, spawnIds } from './account.ts'
import { openLog, sizeOfLog, trimLog } from './log-file.ts'
import { looksLikePostmasterOf } from './postmaster-file.ts'
import { isRunning, listProcesses } from './processes.ts'

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
 * Detached, in its own process group: Ctrl-C in the terminal reaches only the server, which finishes its
 * requests first and then stops PostgreSQL. PostgreSQL also survives a killed server.
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
 * SIGINT ends sessions and writes all changes to disk. After SIGQUIT and SIGKILL the next start replays the
 * write-ahead log instead. None of them loses a committed row.
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
 * Busy sessions of a killed postmaster continue until their statement ends. They hold the shared memory, so a
 * new postmaster cannot start. Their title contains our cluster name.
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
