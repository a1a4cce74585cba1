import { readdirSync, readFileSync } from 'node:fs'

/** Microseconds of CPU by process. */
export type CpuClocks = ReadonlyMap<number, number>

/** CPU times of a process and all its descendants; Linux counts in nanoseconds per thread. */
export function readClocks(root: number): CpuClocks {
  const children = childrenByParent()
  const family = [root]
  for (const pid of family) family.push(...(children.get(pid) ?? []))
  return new Map(family.map((pid) => [pid, ofProcess(pid)]))
}

/** CPU time between two readings, without processes that ended meanwhile. */
export function usedBetween(before: CpuClocks, after: CpuClocks): number {
  return [...after].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0)
}

function ofProcess(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
      const [nanoseconds = '0'] = readFileSync(
        `/proc/${pid}/task/${thread}/schedstat`,
        'utf8',
      ).split(' ')
      return sum + Number(nanoseconds) / 1000
    }, 0)
  } catch {
    return 0
  }
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = parentOf(name)
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  return children
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(statOf(pid).split(' ')[1])
  } catch {
    return undefined
  }
}

/**
 * CPU time of children of a process that have ended, in microseconds; Linux counts hundredths of a
 * second.
 */
export function ofEndedChildren(pid: number): number {
  const fields = statOf(String(pid)).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10_000
}

/** What stands behind the name, which is in brackets and may contain brackets. */
function statOf(pid: string): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2)
}

/** CPU time of the whole machine without idle time, in microseconds. */
export function machineMicroseconds(): number {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] =
    readFileSync('/proc/stat', 'utf8').split('\n')[0]?.split(/\s+/).map(Number) ?? []
  return (user + nice + system + irq + softirq) * 10_000
}
