import { type FSWatcher, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { identify, isThere } from './folder-identity.ts'

/** Where the system reports no changes, as for a folder that is unmounted. */
const LOOK_MS = 1_000

/**
 * Calls `onGone` once, as soon as the files of a running PostgreSQL are no longer where they were. It does not notice
 * that by itself for up to a minute: it writes on into files that were deleted, and all that is lost.
 */
export async function watchFolder(clusterDir: string, onGone: () => void): Promise<() => void> {
  const first = await identify(clusterDir)
  const watchers: FSWatcher[] = []
  let isStopped = false

  const stop = (): void => {
    isStopped = true
    clearInterval(timer)
    for (const watcher of watchers) watcher.close()
  }
  const look = async (): Promise<void> => {
    if (isStopped || (await isThere(clusterDir, first)) || isStopped) return
    stop()
    onGone()
  }
  const timer = setInterval(() => void look(), LOOK_MS)
  timer.unref()
  for (const folder of [clusterDir, join(clusterDir, 'global'), dirname(clusterDir)]) {
    try {
      const watcher = watch(folder, { persistent: false }, (event) => {
        // Deleted or renamed; the others are writes.
        if (event === 'rename') void look()
      })
      watcher.on('error', () => void look())
      watchers.push(watcher)
    } catch {
      // The system has no watch left; the timer is slower.
    }
  }
  return stop
}
