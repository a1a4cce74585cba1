import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Memory in use while a file is imported. */
export interface MemoryTrace {
  readonly rows: number
  /** Bytes in use after a full garbage collection, at every tenth of the file. */
  readonly held: readonly number[]
  /** Maximum memory of the process, in bytes, up to a tenth of the rows and up to the end. */
  readonly rssEarly: number
  readonly rssPeak: number
}

/**
 * Traces the memory of an import that reports the number of rows it has done. The size of a process
 * depends on its last garbage collection; only the rest after a full collection is really in use.
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
