import { type FSWatcher, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Where the system reports no changes, as for a folder that is unmounted. */
const LOOK_MS = 1_000

/** Two files that every database has. */
const KEPT = ['PG_VERSION', join('global', 'pg_control')]

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

async function isThere(clusterDir: string, first: string | undefined): Promise<boolean> {
  if ((await identify(clusterDir)) !== first) return false
  const found = await Promise.all(KEPT.map((name) => identify(join(clusterDir, name))))
  return found.every((one) => one !== undefined)
}

/** Another folder under the same name, such as one below a mount point, has another number. */
async function identify(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}
