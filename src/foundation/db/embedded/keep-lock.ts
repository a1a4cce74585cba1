import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { isRunning } from './processes.ts'
import { type LockAddress, tryServerLock } from './server-lock.ts'

export type LockEnd = 'postgres-gone' | { readonly takenBy: number | undefined }

export interface KeptLock {
  /** PostgreSQL is about to stop: the connection will be cut. Until then it still holds the lock. */
  expectEnd(): void
  release(): Promise<void>
}

/**
 * Holds the server lock as long as PostgreSQL runs. If one of its processes crashes, PostgreSQL cuts all
 * connections and continues; this takes the lock again.
 */
export function keepLock(
  first: Client,
  address: LockAddress,
  postmaster: number,
  onEnd: (end: LockEnd) => void,
): KeptLock {
  let client = first
  let released = false

  const retake = async (): Promise<void> => {
    while (!released) {
      if (!(await isRunning(postmaster))) return onEnd('postgres-gone')
      const attempt = await tryServerLock(address)
      if (attempt.outcome === 'taken') return hold(attempt.client)
      if (attempt.outcome === 'held' && (await isRunning(attempt.pid ?? 0))) {
        return onEnd({ takenBy: attempt.pid })
      }
      await sleep(100)
    }
  }
  const hold = (next: Client): void => {
    client = next
    if (released) void client.end().catch(() => {})
    else client.once('end', () => void retake())
  }
  hold(first)

  return {
    expectEnd() {
      released = true
    },
    async release() {
      released = true
      await client.end().catch(() => {})
    },
  }
}
