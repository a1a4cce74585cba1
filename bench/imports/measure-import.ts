import { monitorEventLoopDelay } from 'node:perf_hooks'
import { machineMicroseconds, readClocks, usedBetween } from '../measure/cpu.ts'

export interface Figures {
  readonly rowsPerSecond: number
  /** CPU microseconds per row. */
  readonly node: number
  readonly postgres: number
  /** Maximum memory of the process, in bytes, up to a tenth of the rows and up to the end. */
  readonly rssEarly: number
  readonly rssPeak: number
  /** The longest wait of other work for the event loop, in milliseconds. */
  readonly stall: number
  /** Cores that were busy with other processes meanwhile. */
  readonly others: number
}

const RESOLUTION_MS = 2

/** Measures an import that reports the number of rows it has done. */
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
    others: Math.max(0, elsewhere / 1e6 / seconds),
    // The timer itself waits two milliseconds, which are no stall.
    stall: Math.max(0, delay.max / 1e6 - RESOLUTION_MS),
  }
}
