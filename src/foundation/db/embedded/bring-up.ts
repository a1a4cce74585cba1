import { createHash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { type Account, chooseAccount, isRunning } from './account.ts'
import { loadPostgresPackage, prepareBinaries } from './binaries.ts'
import {
  clusterFolder,
  findTraceOfDatabase,
  initialise,
  isInitialised,
  isUnfinished,
  loadHome,
  loadPassword,
  memorySettings,
  openDataFolder,
  ROLE,
  resetPassword,
  settleHome,
} from './cluster.ts'
import { logFileOf, readLog, UNFINISHED_FILE } from './data-folder.ts'
import {
  databaseGone,
  databaseLost,
  databaseUnfinished,
  diskFull,
  EmbeddedPostgresError,
  USE_ANOTHER_POSTGRESQL,
  withFileErrors,
} from './embedded-postgres-error.ts'
import {
  endOrphans,
  endPostmaster,
  findLeftSocketFolder,
  findPostmaster,
  type Launched,
  launchPostmaster,
  type PostmasterFile,
  removeStaleLockFile,
} from './postmaster.ts'
import {
  asDirectoryList,
  type LockAttempt,
  makeSocketFolder,
  PORT,
  readClusterName,
  removeTemporarySocketFolder,
  socketLockFile,
  tryServerLock,
} from './server-lock.ts'

/** Includes recovery after a crash, which may have to replay much of the write-ahead log. */
const READY_WITHIN_MS = 120_000
const POLL_MS = 15
/** How long PostgreSQL may take to end the session of a server that was just killed. */
const DEAD_HOLDER_PATIENCE_MS = 5_000
const ORPHAN_PAUSE_MS = 100
/**
 * How often a start finds an empty lock file before it is taken for the remains of a killed start.
 */
const EMPTY_LOCK_FILE_ROUNDS = 20

export interface Plan {
  readonly home: string
  readonly clusterDir: string
  /** Whether the database was made by this start. */
  readonly isNew: boolean
  readonly binaries: string
  readonly version: string
  readonly account: Account
  readonly password: string
  readonly logFile: string
  readonly settings: Readonly<Record<string, string>>
  /** Identifies the data folder; shown in the titles of PostgreSQL's processes. */
  readonly folderName: string
  /**
   * Identifies folder, version and settings. A running PostgreSQL with another name is replaced.
   */
  readonly clusterName: string
}

export interface BroughtUp {
  readonly pid: number
  readonly socketFolder: string
  readonly port: number
  readonly lock: Client
  /** Undefined when PostgreSQL was already running and was adopted. */
  readonly launched: Launched | undefined
}

/**
 * Returns when PostgreSQL runs and this process holds the server lock, or throws. Each round looks
 * at the state again, because another server may start PostgreSQL, stop it or be killed at any
 * moment.
 */
export async function bringUp(plan: Plan): Promise<BroughtUp> {
  const startedAt = Date.now()
  let launched: Launched | undefined
  let orphanRounds = 0
  let emptyLockFileRounds = 0
  let lastReason: unknown
  try {
    while (Date.now() - startedAt < READY_WITHIN_MS) {
      if (launched?.findExit() !== undefined) {
        const cause = await findExitCause(plan, launched)
        launched = undefined
        if (cause instanceof EmbeddedPostgresError) throw cause
        if (cause === 'locking') {
          emptyLockFileRounds += 1
          await waitForLockFile(plan, emptyLockFileRounds)
        }
        if (cause === 'orphans') {
          orphanRounds += 1
          await waitForOrphans(plan, orphanRounds)
        }
      }
      const running = await findPostmaster(plan.clusterDir)
      if (running === undefined) {
        launched ??= await launch(plan)
      } else if (isListening(running)) {
        const attempt = await tryServerLock(lockAddress(plan, running))
        if (attempt.outcome === 'taken') {
          const up = await accept(plan, running, attempt.client, launched)
          if (up !== undefined) return up
        } else if (attempt.outcome === 'not-yet') {
          lastReason = attempt.reason
        } else {
          await checkAttempt(attempt, running, Date.now() - startedAt > DEAD_HOLDER_PATIENCE_MS)
        }
      }
      await sleep(POLL_MS)
    }
    throw notReady(plan, lastReason)
  } catch (error) {
    if (launched !== undefined && !mayGoOnAlone(error)) await endPostmaster(launched.pid)
    throw error
  }
}

interface Listening extends PostmasterFile {
  readonly port: number
  readonly socketFolder: string
}

export function isListening(file: PostmasterFile): file is Listening {
  return file.ready && file.port !== undefined && file.socketFolder !== undefined
}

function lockAddress(plan: Plan, { socketFolder, port }: Listening) {
  return { host: socketFolder, port, user: ROLE, password: plan.password }
}

async function launch(plan: Plan): Promise<Launched> {
  const left = await findLeftSocketFolder(plan.clusterDir)
  if (left !== undefined) await removeTemporarySocketFolder(left)
  const socketFolder = await makeSocketFolder(plan.home, plan.account)
  await removeStaleLockFile(join(plan.clusterDir, 'postmaster.pid'), plan.clusterDir)
  await removeStaleLockFile(socketLockFile(socketFolder), plan.clusterDir)
  return launchPostmaster({
    ...plan,
    socketFolder,
    settings: {
      ...plan.settings,
      cluster_name: plan.clusterName,
      unix_socket_directories: asDirectoryList(socketFolder),
    },
  })
}

/**
 * Undefined if the running PostgreSQL has another version or other settings than this server needs.
 */
async function accept(
  plan: Plan,
  running: Listening,
  lock: Client,
  launched: Launched | undefined,
): Promise<BroughtUp | undefined> {
  const { pid, socketFolder, port } = running
  if (pid === launched?.pid) return { pid, socketFolder, port, lock, launched }
  const clusterName = await readClusterName(lock).catch(() => undefined)
  if (clusterName === plan.clusterName)
    return { pid, socketFolder, port, lock, launched: undefined }
  // We hold the lock, so no server uses this PostgreSQL: stop it, and the next round starts a new
  // one.
  if (clusterName !== undefined) await endPostmaster(pid)
  await lock.end().catch(() => {})
  return undefined
}

async function findExitCause(plan: Plan, launched: Launched) {
  await removeTemporarySocketFolder(launched.socketFolder)
  const { code, signal } = await launched.exited
  const log = await readLog(plan.logFile, launched.logOffset)
  return explainStartFailure(log, {
    clusterDir: plan.clusterDir,
    logFile: plan.logFile,
    exit: signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`,
  })
}

/**
 * Waits for processes of a killed PostgreSQL. Most end by themselves; busy ones get a signal after
 * ten rounds.
 */
async function waitForOrphans(plan: Plan, round: number): Promise<void> {
  if (round > 100) {
    throw new EmbeddedPostgresError(
      'start-failed',
      `Processes of an earlier PostgreSQL still use ${plan.clusterDir} and do not end.`,
      `end the processes whose title begins with "postgres: ${plan.folderName}", then start again`,
    )
  }
  if (round >= 10) {
    await endOrphans(plan.clusterDir, plan.folderName, round < 40 ? 'SIGQUIT' : 'SIGKILL')
  }
  await sleep(ORPHAN_PAUSE_MS)
}

/**
 * The other PostgreSQL writes its lock file within a moment. Only a start that was killed leaves it
 * empty.
 */
async function waitForLockFile(plan: Plan, round: number): Promise<void> {
  if (round > EMPTY_LOCK_FILE_ROUNDS) {
    throw new EmbeddedPostgresError(
      'start-failed',
      `A start of PostgreSQL was killed and left an empty lock file in ${plan.clusterDir}.`,
      `delete ${join(plan.clusterDir, 'postmaster.pid')}, then start again`,
    )
  }
  await sleep(ORPHAN_PAUSE_MS)
}

async function checkAttempt(
  attempt: Exclude<LockAttempt, { outcome: 'taken' | 'not-yet' }>,
  running: PostmasterFile,
  patienceIsOver: boolean,
): Promise<void> {
  if (attempt.outcome === 'wrong-password') {
    throw new EmbeddedPostgresError(
      'wrong-password',
      'The PostgreSQL that runs on this data folder does not accept the password kept there.',
      `stop it (kill -INT ${running.pid}), delete the file postgresql-password in the data folder and start again: a new password is then set`,
    )
  }
  const { pid } = attempt
  if (pid !== undefined && !patienceIsOver && !(await isRunning(pid))) return
  throw new EmbeddedPostgresError(
    'already-running',
    `Another server already runs on this data folder${pid === undefined ? '' : ` (pid ${pid})`}.`,
    pid === undefined
      ? 'stop it first, or give this one a folder of its own with SCHOOLGATE_DATA_DIR'
      : `stop it first (kill ${pid}), or give this one a folder of its own with SCHOOLGATE_DATA_DIR`,
    pid === undefined ? {} : { pid },
  )
}

function notReady(plan: Plan, cause: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'not-ready',
    `PostgreSQL was not ready after ${READY_WITHIN_MS / 1000} seconds; after a crash, recovery may take longer.`,
    `it continues by itself: watch ${plan.logFile}, and start again when it says "ready to accept connections"`,
    { cause },
  )
}

function mayGoOnAlone(error: unknown): boolean {
  return (
    error instanceof EmbeddedPostgresError &&
    (error.code === 'already-running' || error.code === 'not-ready')
  )
}

export interface EmbeddedPostgresOptions {
  dataDir: string
  /** False is faster and may lose data on power loss: for tests. Default true. */
  durable?: boolean
  /**
   * If there is no database: `refuse` where one was a moment ago; `make` to make one also where one
   * was lost. Unless given, one is made only in a folder that never had one.
   */
  ifMissing?: 'refuse' | 'make' | undefined
  /** A file elsewhere that shows that there was a database, also if the whole folder is gone. */
  findTrace?: (() => Promise<string | undefined>) | undefined
  /** Further PostgreSQL settings, such as `max_connections`. */
  settings?: Record<string, string>
}

/** Whether the folder has a database. One that is lost is refused. */
async function hasCluster(
  dataDir: string,
  home: string,
  major: number,
  { ifMissing, findTrace }: Pick<EmbeddedPostgresOptions, 'ifMissing' | 'findTrace'> = {},
): Promise<boolean> {
  if (await isUnfinished(home)) {
    if (ifMissing !== 'make') throw databaseUnfinished(clusterFolder(home, major))
    if ((await findPostmaster(clusterFolder(home, major))) !== undefined) return true
    await rm(clusterFolder(home, major), { recursive: true, force: true })
  }
  // First: a database that another server makes meanwhile leaves traces after it exists.
  const trace = (await findTraceOfDatabase(dataDir, home)) ?? (await findTrace?.())
  if (await isInitialised(home, major)) return true
  const missing = clusterFolder(home, major)
  if (ifMissing === 'refuse') throw databaseGone(missing)
  if (ifMissing === undefined && trace !== undefined) throw databaseLost(missing, trace)
  return false
}

/** Whether an existing data folder has a database, as a start would find it. Makes nothing. */
export async function hasDatabase({
  dataDir,
  ...options
}: Pick<EmbeddedPostgresOptions, 'dataDir' | 'findTrace'>): Promise<boolean> {
  const { major } = await loadPostgresPackage()
  return await hasCluster(dataDir, await loadHome(dataDir), major, options)
}

/** Makes everything that PostgreSQL needs before it can start. */
export async function prepare(options: EmbeddedPostgresOptions): Promise<Plan> {
  const durable = options.durable ?? true
  const source = await loadPostgresPackage()
  const dataDir = await openDataFolder(options.dataDir, options.ifMissing === 'refuse')
  const firstHome = await loadHome(dataDir)
  const account = await chooseAccount(clusterFolder(firstHome, source.major))
  const initialised = await hasCluster(dataDir, firstHome, source.major, options)
  const home = await settleHome(dataDir, firstHome, account, initialised)
  const clusterDir = clusterFolder(home, source.major)
  const binaries = await prepareBinaries(source, home, account)
  const { password, isNew } = await loadPassword(dataDir)
  if (!initialised && options.ifMissing === 'make') {
    await withFileErrors(home, () => writeFile(join(home, UNFINISHED_FILE), ''))
  }
  if (!initialised) {
    await initialise({ home, major: source.major, binaries, account, password, durable })
  } else if (isNew && (await findPostmaster(clusterDir)) === undefined) {
    await resetPassword(binaries, account, clusterDir, password)
  }
  const settings = postgresSettings(durable, options.settings ?? {})
  const folderName = `schoolgate-${digest(clusterDir)}`
  return {
    home,
    clusterDir,
    isNew: !initialised,
    binaries,
    version: source.version,
    account,
    password,
    logFile: logFileOf(home),
    settings,
    folderName,
    clusterName: `${folderName}-${digest(JSON.stringify([source.version, settings]))}`,
  }
}

/** Our own settings come last, so that no caller opens a network port by accident. */
function postgresSettings(durable: boolean, extra: Record<string, string>): Record<string, string> {
  return {
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...memorySettings(),
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...extra,
    listen_addresses: '',
    port: String(PORT),
    unix_socket_permissions: '0700',
    password_encryption: 'scram-sha-256',
    // A failed start is explained from the log, so PostgreSQL must write to the file that we
    // opened.
    log_destination: 'stderr',
    logging_collector: 'off',
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

/**
 * Why PostgreSQL did not start, read from its log (which is English, because it runs without a
 * locale). `locked`: another postmaster was faster. `locking`: another one has made its lock file
 * and not written it yet, or was killed in between. `orphans`: processes of a killed postmaster
 * still run.
 */
export function explainStartFailure(
  log: string,
  where: { clusterDir: string; logFile: string; exit: string },
): 'locked' | 'locking' | 'orphans' | EmbeddedPostgresError {
  if (/lock file ".*" already exists/.test(log)) return 'locked'
  if (/lock file ".*" is empty/.test(log)) return 'locking'
  if (/pre-existing shared memory block .* is still in use/.test(log)) return 'orphans'
  if (/No space left on device|Disk quota exceeded/.test(log)) return diskFull(where.clusterDir)
  if (/could not (map|create) .*shared memory|Cannot allocate memory/.test(log)) {
    return new EmbeddedPostgresError(
      'out-of-memory',
      'PostgreSQL could not get the memory it needs (about 150 MB).',
      `give this machine or container more memory, or ${USE_ANOTHER_POSTGRESQL}`,
    )
  }
  const reason = log.split('\n').findLast((line) => /(FATAL|PANIC|ERROR): /.test(line))
  const said = reason?.replace(/^.*?(?:FATAL|PANIC|ERROR): +/, '') ?? where.exit
  return new EmbeddedPostgresError(
    'start-failed',
    `PostgreSQL did not start on ${where.clusterDir}: ${said}`,
    `read ${where.logFile} for the whole story; docs/embedded-postgresql.md, "When it does not start", lists what helps`,
  )
}
