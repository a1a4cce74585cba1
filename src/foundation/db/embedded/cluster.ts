import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type Account, giveTo, runAs } from './account.ts'
import {
  diskFull,
  EmbeddedPostgresError,
  errorCode,
  withFileErrors,
} from './embedded-postgres-error.ts'
import { isAbandoned, temporaryName } from './temporary-name.ts'
import { findText } from './write-once.ts'

export const ROLE = 'schoolgate'
export const DATABASE = 'schoolgate'

export function clusterFolder(home: string, major: number): string {
  return join(home, `pg${major}`)
}

/**
 * Whether the database exists. PostgreSQL cannot read the files of another major version. Such a folder is
 * refused, because a new, empty database beside it would look like a loss of all data.
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
    'put a backup back in its place, or move it away to begin with an empty database',
  )
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
