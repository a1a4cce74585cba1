import { execFile, spawn } from 'node:child_process'
import { lchown, readdir, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { EmbeddedPostgresError, errorCode } from './embedded-postgres-error.ts'

/** The user PostgreSQL runs as. It refuses root, so root starts it as another user. */
export interface Account {
  readonly uid: number
  readonly gid: number
  /** True if it is not the user that this process runs as. */
  readonly switched: boolean
}

export interface CommandResult {
  readonly code: number | null
  readonly output: string
  /** Set when the program could not even be started, such as EACCES. */
  readonly spawnError: string | undefined
}

/**
 * PostgreSQL reads many PG* and LC_* variables, and a LANG that is not installed makes initdb fail.
 * LC_ALL must be there: without it macOS starts threads in the postmaster, which then gives up.
 */
export const CLEAN_ENVIRONMENT = { LC_ALL: 'C' }

export async function chooseAccount(clusterDir: string): Promise<Account> {
  const uid = process.getuid?.() ?? -1
  const gid = process.getgid?.() ?? -1
  const owner = await findOwner(clusterDir)
  if (uid !== 0) {
    if (owner !== undefined && owner.uid !== uid) throw wrongOwner(clusterDir, owner.uid)
    return { uid, gid, switched: false }
  }
  if (owner?.uid === 0) throw wrongOwner(clusterDir, 0)
  const account = owner ?? findPasswdEntry(await readPasswd(), 'nobody')
  if (account !== undefined) return { ...account, switched: true }
  throw new EmbeddedPostgresError(
    'no-unprivileged-user',
    'PostgreSQL refuses to run as root, and this machine has no user "nobody" to run it as.',
    'start the server as an ordinary user, or add the user "nobody" to /etc/passwd',
  )
}

export function findPasswdEntry(
  passwd: string,
  name: string,
): { uid: number; gid: number } | undefined {
  for (const line of passwd.split('\n')) {
    const [entry, , uid, gid] = line.split(':')
    if (entry !== name || !/^-?\d+$/.test(uid ?? '') || !/^-?\d+$/.test(gid ?? '')) continue
    // macOS writes the account `nobody` as -2; the kernel and chown mean the same number without a
    // sign.
    return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }
  }
  return undefined
}

export function spawnIds(account: Account): { uid?: number; gid?: number } {
  return account.switched ? { uid: account.uid | 0, gid: account.gid | 0 } : {}
}

/**
 * Never follows a symbolic link: in a folder that others can write, a link could make root give
 * away any file.
 */
export async function giveTo(account: Account, path: string): Promise<void> {
  if (account.switched) await lchown(path, account.uid, account.gid)
}

export function runAs(
  account: Account,
  file: string,
  args: readonly string[],
  input = '',
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: '/',
      env: CLEAN_ENVIRONMENT,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...spawnIds(account),
    })
    let output = ''
    const collect = (chunk: string) => {
      output += chunk
    }
    child.stdout.setEncoding('utf8').on('data', collect)
    child.stderr.setEncoding('utf8').on('data', collect)
    child.on('error', (error) =>
      resolve({ code: null, output, spawnError: errorCode(error) ?? error.message }),
    )
    child.on('close', (code) => resolve({ code, output, spawnError: undefined }))
    // A program that ends without reading its input is judged by its exit code.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

/** Whether the account can get into a folder: every folder above it counts, and so do ACLs. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  if (!account.switched) return true
  const { code, spawnError } = await runAs(account, '/bin/sh', ['-c', 'cd "$1"', 'sh', folder])
  if (spawnError === undefined) return code === 0
  throw new EmbeddedPostgresError(
    'no-unprivileged-user',
    `PostgreSQL refuses to run as root, and this process may not switch to uid ${account.uid} (${spawnError}).`,
    'start the server as an ordinary user',
  )
}

async function findOwner(path: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const { uid, gid } = await stat(path)
    return { uid, gid }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function readPasswd(): Promise<string> {
  try {
    return await readFile('/etc/passwd', 'utf8')
  } catch {
    return ''
  }
}

function wrongOwner(clusterDir: string, owner: number): EmbeddedPostgresError {
  const remedy =
    owner === 0
      ? `give it to an ordinary user, for example: chown -R nobody ${clusterDir}`
      : `start the server as the user with uid ${owner}, or give the folder to yourself: sudo chown -R "$(id -u)" ${dirname(clusterDir)}`
  return new EmbeddedPostgresError(
    'wrong-owner',
    `The database in ${clusterDir} belongs to ${owner === 0 ? 'root, as which PostgreSQL refuses to run' : `another user (uid ${owner})`}.`,
    remedy,
  )
}

export interface RunningProcess {
  readonly pid: number
  readonly parent: number
  /** The current command line. Child processes of PostgreSQL overwrite theirs with a title. */
  readonly command: string
}

/** Whether the process can be signalled; true also for one that ended and was not reaped yet. */
export function acceptsSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

export async function isRunning(pid: number): Promise<boolean> {
  return acceptsSignals(pid) && (await findProcess(pid)) !== undefined
}

/**
 * Recognises processes by their command line and not by their working folder: reading the working
 * folder of another user's process needs CAP_SYS_PTRACE, which root in a container usually lacks.
 */
export async function findProcess(pid: number): Promise<RunningProcess | undefined> {
  if (process.platform === 'linux') return readProc(pid)
  const found = await listWithPs(['-p', String(pid)])
  return found[0]
}

export async function listProcesses(): Promise<RunningProcess[]> {
  if (process.platform !== 'linux') return listWithPs(['-ax'])
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(pids.map((pid) => readProc(Number(pid))))
  return found.filter((one) => one !== undefined)
}

async function readProc(pid: number): Promise<RunningProcess | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/stat`, 'utf8')
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8')
    return parseProc(pid, status, command)
  } catch {
    return undefined
  }
}

/** A process that ended but was not reaped (some containers never do) counts as gone. */
export function parseProc(
  pid: number,
  status: string,
  commandLine: string,
): RunningProcess | undefined {
  // The name in parentheses may contain parentheses and spaces.
  const [state, parent] = status.slice(status.lastIndexOf(')') + 2).split(' ')
  if (state === 'Z' || state === 'X' || parent === undefined) return undefined
  return { pid, parent: Number(parent), command: commandLine.replaceAll('\0', ' ').trim() }
}

async function listWithPs(selection: readonly string[]): Promise<RunningProcess[]> {
  try {
    const { stdout } = await promisify(execFile)(
      '/bin/ps',
      ['-ww', ...selection, '-o', 'pid=,ppid=,stat=,command='],
      { maxBuffer: 16 * 1024 * 1024 },
    )
    return parsePs(stdout)
  } catch {
    return []
  }
}

export function parsePs(output: string): RunningProcess[] {
  return output.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line)
    if (match === null || match[3]?.startsWith('Z')) return []
    return [{ pid: Number(match[1]), parent: Number(match[2]), command: (match[4] ?? '').trim() }]
  })
}
