import { realpath } from 'node:fs/promises'
import { loadPostgresPackage, removeOtherBinaries } from './binaries.ts'
import { type BroughtUp, bringUp, isListening, type Plan } from './bring-up.ts'
import { clusterFolder, DATABASE, ROLE } from './cluster.ts'
import { databaseGone, EmbeddedPostgresError, errorCode } from './embedded-postgres-error.ts'
import { loadHome } from './home.ts'
import { keepLock } from './keep-lock.ts'
import { keepLogTrimmed } from './log-file.ts'
import { findPassword } from './password.ts'
import { type Exit, endPostmaster, killPostmaster } from './postmaster.ts'
import { findPostmaster } from './postmaster-file.ts'
import { type EmbeddedPostgresOptions, prepare } from './prepare.ts'
import { removeTemporarySocketFolder } from './socket-folder.ts'
import { watchFolder } from './watch-folder.ts'

// Callers outside this folder import only this file.
export { EmbeddedPostgresError }

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
  /** Resolves if PostgreSQL ends by itself, not after `stop()`. */
  readonly onExit: Promise<ExitReport>
  stop(): Promise<void>
}

/**
 * Starts PostgreSQL on a data folder and creates the database if there is none. This process has the folder
 * to itself until `stop()`. Throws EmbeddedPostgresError.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const plan = await prepare(options)
  const up = await bringUp(plan)
  if (up.launched !== undefined) await removeOtherBinaries(plan.home, plan.version)
  return await supervise(plan, up)
}

/** The database of the server that runs on this data folder, for commands that run beside the server. */
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
  return {
    address: { ...login, database: DATABASE },
    pid,
    adopted: launched === undefined,
    onExit,
    stop() {
      stopping ??= stop()
      return stopping
    },
  }
}
