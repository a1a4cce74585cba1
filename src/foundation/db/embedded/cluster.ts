import { randomBytes } from 'node:crypto'
import {
  access,
  chmod,
  constants,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { totalmem, userInfo } from 'node:os'
import { join } from 'node:path'
import { commandText } from '../../text/command-name.ts'
import { type Account, canEnter, giveTo, runAs } from './account.ts'
import {
  findText,
  isAbandoned,
  logFileOf,
  SECRET_FILE,
  temporaryName,
  UNFINISHED_FILE,
  writeOnce,
} from './data-folder.ts'
import {
  databaseGone,
  diskFull,
  EmbeddedPostgresError,
  errorCode,
  withFileErrors,
} from './embedded-postgres-error.ts'

export const ROLE = 'schoolgate'
export const DATABASE = 'schoolgate'

export function clusterFolder(home: string, major: number): string {
  return join(home, `pg${major}`)
}

/**
 * Whether the database exists. PostgreSQL cannot read the files of another major version. Such a
 * folder is refused, because a new, empty database beside it would look like a loss of all data.
 */
export async function isInitialised(home: string, major: number): Promise<boolean> {
  const folder = clusterFolder(home, major)
  const version = (await findText(join(folder, 'PG_VERSION')))?.trim()
  if (version === String(major)) return true
  if (version !== undefined) throw otherMajor(folder, version, major)
  const names = await readdir(home)
  const others = names.flatMap((name) => /^pg(\d+)$/.exec(name)?.[1] ?? [])
  if (!others.includes(String(major))) {
    const [other] = others.sort((a, b) => Number(b) - Number(a))
    if (other !== undefined) throw otherMajor(join(home, `pg${other}`), other, major)
    return false
  }
  if ((await readdir(folder)).length === 0) return false
  throw new EmbeddedPostgresError(
    'damaged',
    `The folder ${folder} holds files but no PG_VERSION, so it is not a whole database.`,
    `put a backup back in its place; or move it away, and begin anew with ${commandText('new-database')}`,
  )
}

/** Whether a command that made the database of this folder did not end. */
export async function isUnfinished(home: string): Promise<boolean> {
  return (await stat(join(home, UNFINISHED_FILE)).catch(() => undefined)) !== undefined
}

/**
 * What a database that was in this folder left beside it; undefined if there never was one. An
 * initdb that failed leaves neither.
 */
export async function findTraceOfDatabase(
  dataDir: string,
  home: string,
): Promise<string | undefined> {
  for (const path of [join(dataDir, SECRET_FILE), logFileOf(home)]) {
    if ((await stat(path).catch(() => undefined)) !== undefined) return path
  }
  return undefined
}

interface Initialisation {
  readonly home: string
  readonly major: number
  readonly binaries: string
  readonly account: Account
  readonly password: string
  readonly durable: boolean
}

/**
 * Makes the database under a temporary name and renames it when it is complete: neither initdb nor
 * PostgreSQL accepts what a killed initdb leaves behind.
 */
export async function initialise(plan: Initialisation): Promise<void> {
  const { home, major, account } = plan
  checkHasName(account)
  const folder = clusterFolder(home, major)
  await removeLeftovers(home)
  const temporary = temporaryName(folder)
  try {
    await withFileErrors(home, () => mkdir(temporary, { mode: 0o700 }))
    await giveTo(account, temporary)
    await runInitdb(plan, temporary)
    await runSingleUser(plan.binaries, account, temporary, [
      `create role ${ROLE} login createdb password ${quote(plan.password)}`,
      `create database ${DATABASE} owner ${ROLE}`,
    ])
    await rename(temporary, folder)
    await syncFolder(home)
  } catch (error) {
    // Two servers may start on one empty folder; the second finds the first one's database.
    if (errorCode(error) === 'ENOTEMPTY' || errorCode(error) === 'EEXIST') return
    throw error
  } finally {
    await rm(temporary, { recursive: true, force: true })
    await rm(`${temporary}.password`, { force: true })
  }
}

/** For a database whose password file was lost. PostgreSQL must not run. */
export async function resetPassword(
  binaries: string,
  account: Account,
  folder: string,
  password: string,
): Promise<void> {
  await runSingleUser(binaries, account, folder, [`alter role ${ROLE} password ${quote(password)}`])
}

/** What is a letter, searches by trigrams ask the system's locale, not the builtin one. */
const LETTERS = process.platform === 'darwin' ? 'UTF-8' : 'C.UTF-8'
/** On a system without that locale. `doctor` tells what it means for searches. */
const ONLY_ASCII = 'C'

async function runInitdb(
  plan: Initialisation,
  temporary: string,
  letters = LETTERS,
): Promise<void> {
  // The superuser is only for repairs in single-user mode, so its password is not kept.
  const passwordFile = `${temporary}.password`
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { flag: 'wx', mode: 0o600 })
  await giveTo(plan.account, passwordFile)
  const { code, output, spawnError } = await runAs(
    plan.account,
    join(plan.binaries, 'bin', 'initdb'),
    [
      `--pgdata=${temporary}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      `--lc-ctype=${letters}`,
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(plan.durable ? [] : ['--no-sync']),
    ],
  )
  if (code !== 0 && letters !== ONLY_ASCII && /invalid locale/.test(output)) {
    await rm(passwordFile)
    await runInitdb(plan, temporary, ONLY_ASCII)
    return
  }
  if (code !== 0) throw initdbFailed(plan.home, spawnError ?? output)
}

/** Single-user mode reads one statement per line and reports errors without failing. */
async function runSingleUser(
  binaries: string,
  account: Account,
  folder: string,
  statements: readonly string[],
): Promise<void> {
  const { code, output, spawnError } = await runAs(
    account,
    join(binaries, 'bin', 'postgres'),
    ['--single', '-D', folder, '-c', 'log_checkpoints=off', 'postgres'],
    statements.map((statement) => `${statement}\n`).join(''),
  )
  if (code !== 0 || /^.*(ERROR|FATAL|PANIC): /m.test(output)) {
    throw initdbFailed(folder, spawnError ?? output)
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

async function removeLeftovers(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const path = join(home, name)
    if (!/^pg\d+\.new-/.test(name) || !(await isAbandoned(path))) continue
    // An initdb that outlived its server may still be writing: then it stays for the next start.
    await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function checkHasName(account: Account): void {
  if (account.switched) return
  try {
    userInfo()
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'no-passwd-entry',
      `The user this process runs as (uid ${account.uid}) has no entry in /etc/passwd, and PostgreSQL needs one to make a database.`,
      `run the container as a user that exists in its image, or as root (the server then picks "nobody" for PostgreSQL), or add a line for uid ${account.uid} to /etc/passwd`,
      { cause },
    )
  }
}

function initdbFailed(folder: string, output: string): EmbeddedPostgresError {
  if (/No space left on device|Disk quota exceeded/.test(output)) return diskFull(folder)
  const lines = output.trim().split('\n')
  const reason = lines.findLast((line) => /error|FATAL|PANIC/i.test(line)) ?? lines.at(-1)
  return new EmbeddedPostgresError(
    'initdb-failed',
    `A new database could not be made in ${folder}: ${reason?.trim() || 'no reason given'}`,
    'fix the cause named above and start again; nothing was left behind',
  )
}

function otherMajor(folder: string, found: string, wanted: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'other-major',
    `The database in ${folder} was made by PostgreSQL ${found}; this release brings PostgreSQL ${wanted}, which cannot read it.`,
    `dump it with the release that brought PostgreSQL ${found} and load it into this one: docs/embedded-postgresql.md, "Moving to another major version", has the commands`,
  )
}

/** Where the database goes when the account cannot get into the data folder. */
const REACHABLE_PLACE = '/var/lib/schoolgate'
const POINTER = 'postgresql-location'

export async function openDataFolder(dataDir: string, mustExist = false): Promise<string> {
  if (mustExist && (await stat(dataDir).catch(() => undefined)) === undefined) {
    throw databaseGone(dataDir)
  }
  return withFileErrors(dataDir, async () => {
    // If we are root, the account must be able to enter. The database itself is always 0700.
    await mkdir(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o755 : 0o700 })
    await access(dataDir, constants.W_OK | constants.X_OK)
    return await realpath(dataDir)
  })
}

/** The folder that holds the database: the data folder, or the one that its pointer file names. */
export async function loadHome(dataDir: string): Promise<string> {
  const pointer = await findText(join(dataDir, POINTER))
  return pointer === undefined ? dataDir : followPointer(dataDir, pointer)
}

/**
 * Makes sure that the account can enter `home`. A new database goes to a place the account can
 * reach; an existing one is never replaced by an empty one elsewhere.
 */
export async function settleHome(
  dataDir: string,
  home: string,
  account: Account,
  initialised: boolean,
): Promise<string> {
  if (await canEnter(account, home)) return home
  if (initialised || home !== dataDir) throw unreachable(home, account)
  const place = join(REACHABLE_PLACE, randomBytes(6).toString('hex'))
  await withFileErrors(REACHABLE_PLACE, async () => {
    await mkdir(place, { recursive: true })
    await chmod(REACHABLE_PLACE, 0o755)
    await chmod(place, 0o755)
    await writeFile(join(place, 'belongs-to'), `${dataDir}\n`)
  })
  if (!(await canEnter(account, place))) throw unreachable(place, account)
  const pointer = await withFileErrors(dataDir, () =>
    writeOnce(join(dataDir, POINTER), `${place}\n`),
  )
  if (pointer.trim() === place) return place
  await rm(place, { recursive: true, force: true })
  return followPointer(dataDir, pointer)
}

async function followPointer(dataDir: string, pointer: string): Promise<string> {
  const place = pointer.trim()
  try {
    return await realpath(place)
  } catch (cause) {
    if (errorCode(cause) !== 'ENOENT') throw cause
    throw new EmbeddedPostgresError(
      'folder-missing',
      `The database of ${dataDir} lies in ${place} (so says ${POINTER}), but that folder is gone.`,
      `bring ${place} back (in a container: keep it on a volume), or delete ${join(dataDir, POINTER)}, and restore a backup or begin anew: ${commandText('backup restore FILE')}, ${commandText('new-database')}`,
      { cause },
    )
  }
}

function unreachable(folder: string, account: Account): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'folder-unreachable',
    `PostgreSQL runs as uid ${account.uid}, because it refuses root, and that user cannot get into ${folder}.`,
    `let other users pass through every folder above it (chmod o+x), or move it, or start the server as an ordinary user`,
  )
}

const PASSWORD_FILE = 'postgresql-password'

/**
 * A password is needed because the socket may belong to "nobody", and other programs run as that
 * user too.
 */
export async function loadPassword(dataDir: string): Promise<{ password: string; isNew: boolean }> {
  const kept = await findPassword(dataDir)
  if (kept !== undefined) return { password: kept, isNew: false }
  const made = randomBytes(24).toString('base64url')
  const text = await withFileErrors(dataDir, () =>
    writeOnce(join(dataDir, PASSWORD_FILE), `${made}\n`),
  )
  return { password: text.trim(), isNew: true }
}

export async function findPassword(dataDir: string): Promise<string | undefined> {
  return (await findText(join(dataDir, PASSWORD_FILE)))?.trim()
}

const MB = 1024 * 1024
const GB = 1024 * MB

/** What the machine, or the container that we run in, has. */
export function memoryOfMachine(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/**
 * PostgreSQL's own defaults are for machines of long ago. It shares this one with Node and, on a
 * small installation, with other programs, so each value is on the low side of what its manual
 * recommends.
 */
export function memorySettings(total = memoryOfMachine()): Readonly<Record<string, string>> {
  return {
    shared_buffers: megabytes(total / 8, 128 * MB, 2 * GB),
    effective_cache_size: megabytes(total / 2, 128 * MB, 64 * GB),
    // For each sort, of which a few run at once.
    work_mem: megabytes(total / 256, 4 * MB, 64 * MB),
    maintenance_work_mem: megabytes(total / 32, 64 * MB, GB),
  }
}

function megabytes(wanted: number, least: number, most: number): string {
  return `${Math.floor(Math.min(Math.max(wanted, least), most) / MB)}MB`
}
