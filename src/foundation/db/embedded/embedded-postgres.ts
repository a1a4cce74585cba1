import { type FSWatcher, watch } from 'node:fs'
import { realpath, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { isRunning } from './account.ts'
import { loadPostgresPackage, removeOtherBinaries } from './binaries.ts'
import {
  type BroughtUp,
  bringUp,
  type EmbeddedPostgresOptions,
  hasDatabase,
  isListening,
  type Plan,
  prepare,
} from './bring-up.ts'
import { clusterFolder, DATABASE, findPassword, loadHome, ROLE } from './cluster.ts'
import { keepLogTrimmed, UNFINISHED_FILE } from './data-folder.ts'
import { databaseGone, EmbeddedPostgresError, errorCode } from './embedded-postgres-error.ts'
import { type Exit, endPostmaster, findPostmaster, killPostmaster } from './postmaster.ts'
import { type LockAddress, removeTemporarySocketFolder, tryServerLock } from './server-lock.ts'

// Callers outside this folder import only this file.
export { EmbeddedPostgresError, type EmbeddedPostgresOptions, hasDatabase }

/** Can be used as pg's client configuration; the host is the folder of a Unix socket. */
export interface DatabaseAddress {
  host: string
  port: number
  user: string
  password: string
  database: string
}

export interface ExitReport {
  readonly pid: number
  /** Both null if PostgreSQL was adopted, or if another server took it over. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** What happened, and the file to read more in. */
  readonly message: string
  /** The files are gone, so it must not be started again. */
  readonly isFolderGone?: boolean
}

export interface EmbeddedPostgres {
  readonly address: DatabaseAddress
  readonly pid: number
  /** True if PostgreSQL still ran, started by a server that was killed. */
  readonly adopted: boolean
  /** True if this start made the database. */
  readonly isNew: boolean
  /** Resolves if PostgreSQL ends by itself, not after `stop()`. */
  readonly onExit: Promise<ExitReport>
  stop(): Promise<void>
  /** The database that this start made is whole: from now on servers start on it. */
  finish(): Promise<void>
  /** Stops it, and removes the database if this start made it. */
  discard(): Promise<void>
}

/**
 * Starts PostgreSQL on a data folder and creates the database if there is none. This process has
 * the folder to itself until `stop()`. Throws EmbeddedPostgresError.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const plan = await prepare(options)
  const up = await bringUp(plan)
  if (up.launched !== undefined) await removeOtherBinaries(plan.home, plan.version)
  return await supervise(plan, up)
}

/**
 * The database of the server that runs on this data folder, for commands that run beside the
 * server.
 */
export async function findRunningEmbedded(
  dataDir: string,
): Promise<(DatabaseAddress & { pid: number }) | undefined> {
  try {
    const folder = await realpath(dataDir)
    const password = await findPassword(folder)
    if (password === undefined) return undefined
    const { major } = await loadPostgresPackage()
    const running = await findPostmaster(clusterFolder(await loadHome(folder), major))
    if (running === undefined || !isListening(running)) return undefined
    const { pid, socketFolder: host, port } = running
    return { host, port, user: ROLE, password, database: DATABASE, pid }
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined
    if (errorCode(cause) !== 'EACCES') throw cause
    throw new EmbeddedPostgresError(
      'wrong-owner',
      `The files in ${dataDir} belong to another user, so the database there cannot be reached.`,
      'run this command as the user that runs the server',
      { cause },
    )
  }
}

async function supervise(plan: Plan, up: BroughtUp): Promise<EmbeddedPostgres> {
  const { pid, socketFolder: host, port, launched } = up
  const login = { host, port, user: ROLE, password: plan.password }
  let report: (exit: ExitReport) => void = () => {}
  const onExit = new Promise<ExitReport>((resolve) => {
    report = resolve
  })
  const stopTrimming = keepLogTrimmed(plan.logFile)
  let ended = false
  let isFolderGone = false
  const stopWatching = await watchFolder(plan.clusterDir, () => {
    isFolderGone = true
    // At once: what it still confirms is lost.
    killPostmaster(pid)
  })
  let stopping: Promise<void> | undefined

  const end = ({ code, signal }: Exit, what: string): void => {
    if (ended) return
    ended = true
    stopTrimming()
    stopWatching()
    void lock.release()
    if (stopping !== undefined) return
    if (isFolderGone) {
      const { message } = databaseGone(plan.clusterDir)
      report({ pid, code, signal, message, isFolderGone })
    } else report({ pid, code, signal, message: `${what}; its log is ${plan.logFile}` })
  }
  const lock = keepLock(up.lock, login, pid, (reason) => {
    const unknown = { code: null, signal: null }
    if (reason !== 'postgres-gone') {
      end(unknown, `Another server (pid ${reason.takenBy}) took over PostgreSQL (pid ${pid})`)
    } else if (launched === undefined) {
      end(unknown, `PostgreSQL (pid ${pid}) ended by itself`)
    }
  })
  void launched?.exited.then((how) =>
    end(
      how,
      `PostgreSQL (pid ${pid}) ended by itself with ${how.signal ?? `exit code ${how.code}`}`,
    ),
  )

  const stop = async (): Promise<void> => {
    if (ended) return
    stopWatching()
    lock.expectEnd()
    await endPostmaster(pid)
    stopTrimming()
    await lock.release()
    await removeTemporarySocketFolder(host)
  }
  const stopOnce = (): Promise<void> => {
    stopping ??= stop()
    return stopping
  }
  return {
    address: { ...login, database: DATABASE },
    pid,
    adopted: launched === undefined,
    isNew: plan.isNew,
    onExit,
    stop: stopOnce,
    async finish() {
      await rm(join(plan.home, UNFINISHED_FILE), { force: true })
    },
    async discard() {
      await stopOnce()
      if (!plan.isNew) return
      await rm(plan.clusterDir, { recursive: true, force: true })
      await rm(join(plan.home, UNFINISHED_FILE), { force: true })
    },
  }
}

export type LockEnd = 'postgres-gone' | { readonly takenBy: number | undefined }

export interface KeptLock {
  /**
   * PostgreSQL is about to stop: the connection will be cut. Until then it still holds the lock.
   */
  expectEnd(): void
  release(): Promise<void>
}

/**
 * Holds the server lock as long as PostgreSQL runs. If one of its processes crashes, PostgreSQL
 * cuts all connections and continues; this takes the lock again.
 */
function keepLock(
  first: Client,
  address: LockAddress,
  postmaster: number,
  onEnd: (end: LockEnd) => void,
): KeptLock {
  let client = first
  let released = false

  const retake = async (): Promise<void> => {
    while (!released) {
      if (!(await isRunning(postmaster))) return onEnd('postgres-gone')
      const attempt = await tryServerLock(address)
      if (attempt.outcome === 'taken') return hold(attempt.client)
      if (attempt.outcome === 'held' && (await isRunning(attempt.pid ?? 0))) {
        return onEnd({ takenBy: attempt.pid })
      }
      await sleep(100)
    }
  }
  const hold = (next: Client): void => {
    client = next
    if (released) void client.end().catch(() => {})
    else client.once('end', () => void retake())
  }
  hold(first)

  return {
    expectEnd() {
      released = true
    },
    async release() {
      released = true
      await client.end().catch(() => {})
    },
  }
}

/** Where the system reports no changes, as for a folder that is unmounted. */
const LOOK_MS = 1_000

/**
 * Calls `onGone` once, as soon as the files of a running PostgreSQL are no longer where they were.
 * It does not notice that by itself for up to a minute: it writes on into files that were deleted,
 * and all that is lost.
 */
async function watchFolder(clusterDir: string, onGone: () => void): Promise<() => void> {
  const first = await identify(clusterDir)
  const watchers: FSWatcher[] = []
  let isStopped = false

  const stop = (): void => {
    isStopped = true
    clearInterval(timer)
    for (const watcher of watchers) watcher.close()
  }
  const look = async (): Promise<void> => {
    if (isStopped || (await isThere(clusterDir, first)) || isStopped) return
    stop()
    onGone()
  }
  const timer = setInterval(() => void look(), LOOK_MS)
  timer.unref()
  for (const folder of [clusterDir, join(clusterDir, 'global'), dirname(clusterDir)]) {
    try {
      const watcher = watch(folder, { persistent: false }, (event) => {
        // Deleted or renamed; the others are writes.
        if (event === 'rename') void look()
      })
      watcher.on('error', () => void look())
      watchers.push(watcher)
    } catch {
      // The system has no watch left; the timer is slower.
    }
  }
  return stop
}

/** Two files that every database has. */
const KEPT = ['PG_VERSION', join('global', 'pg_control')]

/** Whether a database is where it was, or may be. */
export async function isThere(clusterDir: string, first: Identity): Promise<boolean> {
  if (isAnother(await identify(clusterDir), first)) return false
  const found = await Promise.all(KEPT.map((name) => identify(join(clusterDir, name))))
  return !found.includes('gone')
}

export type Identity = { readonly dev: number; readonly ino: number } | 'gone' | 'unknown'

/** Another folder under the same name, such as one below a mount point, has another number. */
function isAnother(found: Identity, first: Identity): boolean {
  if (typeof found === 'string' || typeof first === 'string') return found === 'gone'
  return found.dev !== first.dev || found.ino !== first.ino
}

/**
 * Only some errors prove that a file is gone. Others, such as a disk that fails a read, pass or are
 * PostgreSQL's to report.
 */
export async function identify(path: string): Promise<Identity> {
  return await stat(path).catch(({ code }: NodeJS.ErrnoException) =>
    code === 'ENOENT' || code === 'ENOTDIR' ? 'gone' : 'unknown',
  )
}
