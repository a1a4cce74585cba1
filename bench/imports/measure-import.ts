import { monitorEventLoopDelay } from 'node:perf_hooks'
import { machineMicroseconds, readClocks, usedBetween } from '../measure/cpu.ts'

export interface Figures {
  readonly rowsPerSecond: number
  /** CPU microseconds per row. */
  readonly node: number
  readonly postgres: number
  /** Most memory of the process, in bytes, until a tenth was done and until everything was. */
  readonly rssEarly: number
  readonly rssPeak: number
  /** The longest that anybody else had to wait for the event loop, in milliseconds. */
  readonly stall: number
  /** How many cores were busy with something else meanwhile. */
  readonly others: number
}

const RESOLUTION_MS = 2

/** Runs something that tells how many rows it has done, and says what it cost. */
export async function measureImport(
  rows: number,
  postgresPid: number,
  run: (onProgress: (done: number) => void) => Promise<void>,
): Promise<Figures> {
  const memory = { early: 0, peak: 0 }
  const onProgress = (done: number): void => {
    const rss = process.memoryUsage.rss()
    memory.peak = Math.max(memory.peak, rss)
    if (done <= rows / 10) memory.early = Math.max(memory.early, rss)
  }
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  const before = {
    node: process.cpuUsage(),
    postgres: readClocks(postgresPid),
    machine: machineMicroseconds(),
  }
  const started = performance.now()
  delay.enable()
  await run(onProgress)
  delay.disable()
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(before.node)
  const postgres = usedBetween(before.postgres, readClocks(postgresPid))
  const elsewhere = machineMicroseconds() - before.machine - user - system - postgres
  return {
    rowsPerSecond: rows / seconds,
    node: (user + system) / rows,
    postgres: postgres / rows,
    rssEarly: memory.early,
    rssPeak: memory.peak,
    // A look every two milliseconds comes two milliseconds after the last at the earliest.
    others: Math.max(0, elsewhere / 1e6 / seconds),
    stall: Math.max(0, delay.max / 1e6 - RESOLUTION_MS),
  }
}
