import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** What the process held while a file was imported. */
export interface MemoryTrace {
  readonly rows: number
  /** Bytes in use after a full collection, whenever another tenth was done. */
  readonly held: readonly number[]
  /** Most memory of the process, in bytes, until a tenth was done and until everything was. */
  readonly rssEarly: number
  readonly rssPeak: number
}

/**
 * Runs something that tells how many rows it has done, and looks at what it keeps. How much memory a
 * process takes says when it last cleaned up; only what is left after a full collection is really held.
 */
export async function traceMemory(
  rows: number,
  run: (onProgress: (done: number) => void) => Promise<void>,
): Promise<MemoryTrace> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const held: number[] = []
  const rss = { early: 0, peak: 0 }
  await run((done) => {
    const now = process.memoryUsage.rss()
    rss.peak = Math.max(rss.peak, now)
    if (done <= rows / 10) rss.early = rss.peak
    if (done < ((held.length + 1) * rows) / 10) return
    collect()
    const { heapUsed, external } = process.memoryUsage()
    held.push(heapUsed + external)
  })
  return { rows, held, rssEarly: rss.early, rssPeak: rss.peak }
}
