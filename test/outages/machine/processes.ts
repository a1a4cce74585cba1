import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findRunningEmbedded } from '../../../src/foundation/db/embedded/embedded-postgres.ts'

const isRoot = process.getuid?.() === 0

/** PostgreSQL refuses to run as root. 65534 is the account `nobody`. */
export const UNPRIVILEGED = isRoot ? { uid: 65534, gid: 65534 } : {}

/** All processes that a run starts, so that it can end them whatever happens. */
export class Processes {
  readonly #children = new Set<ChildProcess>()
  /** Folders of PostgreSQL clusters whose postmaster is no child of ours. */
  readonly #clusters = new Set<string>()
  readonly #embedded = new Set<string>()

  /** Starts a program that is not ours, without the rights of root; its output goes to a file. */
  start(command: string, args: readonly string[], log: string, env: SpawnOptions['env'] = {}) {
    const file = openSync(log, 'a')
    const child = spawn(command, args, {
      ...UNPRIVILEGED,
      env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...env },
      stdio: ['ignore', file, file],
      detached: true,
    })
    closeSync(file)
    return this.own(child)
  }

  own(child: ChildProcess): ChildProcess {
    this.#children.add(child)
    child.once('exit', () => this.#children.delete(child))
    child.on('error', () => this.#children.delete(child))
    return child
  }

  ownCluster(dataDir: string): void {
    this.#clusters.add(dataDir)
  }

  ownEmbedded(dataDir: string): void {
    this.#embedded.add(dataDir)
  }

  /** At once: the folders are temporary. */
  async endAll(): Promise<void> {
    for (const child of [...this.#children]) {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    for (const dataDir of this.#clusters) {
      const pid = postmasterOf(dataDir)
      if (pid !== undefined) signalAll([...childrenOf(pid), pid], 'SIGKILL')
    }
    for (const dataDir of this.#embedded) {
      const running = await findRunningEmbedded(dataDir).catch(() => undefined)
      if (running !== undefined) signalAll([...childrenOf(running.pid), running.pid], 'SIGKILL')
    }
    this.#clusters.clear()
    this.#embedded.clear()
  }
}

/** The pid of the PostgreSQL that runs on this folder. */
export function postmasterOf(dataDir: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0])
    // After a crash the file stays, and its pid may belong to another program.
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres' ? pid : undefined
  } catch {
    return undefined
  }
}

export function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, , ppid] = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/\(.*\)/, '')
          .split(/\s+/)
        return Number(ppid) === parent ? Number(name) : []
      } catch {
        return []
      }
    })
}

export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It ended by itself.
    }
  }
}
