import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { errorCode } from './embedded-postgres-error.ts'

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
 * Recognises processes by their command line and not by their working folder: reading the working folder of
 * another user's process needs CAP_SYS_PTRACE, which root in a container usually lacks.
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
