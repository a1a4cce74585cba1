import { auditSweep } from '../domain/audit/purge.ts'
import { clientSweeps } from '../domain/clients/purge.ts'
import { renderMissing } from '../domain/content/render-missing.ts'
import { grantSweeps } from '../domain/grants/purge.ts'
import { idempotencySweep } from '../domain/idempotency/purge.ts'
import { peopleSweeps } from '../domain/people/purge.ts'
import type { Db } from '../foundation/db/database.ts'

/** Rows that one step looks at, and steps of one sweep in one round. */
const STEP_ROWS = 1000
const STEPS_PER_ROUND = 200

/** Where each sweep stopped. Kept between rounds, so that a long table is swept in several rounds. */
export type PurgePositions = Map<string, string>

export interface PurgeOptions {
  readonly auditRetentionDays: number
  readonly positions?: PurgePositions
  readonly signal?: AbortSignal
  readonly stepRows?: number
  readonly stepsPerRound?: number
}

export interface PurgeReport {
  /** Removed rows by kind; `unused_children` and `surplus_authorizations` were revoked, not removed. */
  readonly removed: Readonly<Record<string, number>>
  /** False if a sweep continues in the next round. */
  readonly finished: boolean
}

/** One bounded round over everything that expires. Several processes may do this at once. */
export async function purgeOnce(db: Db, options: PurgeOptions): Promise<PurgeReport> {
  const { positions = new Map(), stepRows = STEP_ROWS, stepsPerRound = STEPS_PER_ROUND } = options
  const sweeps = [
    ...grantSweeps,
    ...peopleSweeps,
    ...clientSweeps,
    idempotencySweep,
    auditSweep(options.auditRetentionDays),
  ]
  const removed: Record<string, number> = {}
  for (const { name, step } of sweeps) {
    let after = positions.get(name)
    let count = 0
    for (let steps = 0; steps < stepsPerRound && !options.signal?.aborted; steps++) {
      const { removed: gone, last } = await step(db, after, stepRows)
      count += gone
      after = last
      if (last === undefined) break
    }
    removed[name] = count
    if (after === undefined) positions.delete(name)
    else positions.set(name, after)
  }
  return { removed, finished: positions.size === 0 && options.signal?.aborted !== true }
}

export interface PurgingOptions {
  readonly intervalSeconds: number
  readonly auditRetentionDays: number
  readonly onRound: (report: PurgeReport) => void
  readonly onError: (error: unknown) => void
}

/** Purges at an interval until stopped; `stop` waits for the current step. */
export function startPurging(db: Db, options: PurgingOptions): { stop(): Promise<void> } {
  const { auditRetentionDays } = options
  const positions: PurgePositions = new Map()
  const stopping = new AbortController()
  let round: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const schedule = (seconds: number): void => {
    if (stopping.signal.aborted) return
    // A random delay, so that servers started together do not purge at the same moment.
    const spread = seconds * (0.75 + Math.random() / 2)
    timer = setTimeout(() => {
      round = runRound()
    }, spread * 1000)
    timer.unref()
  }
  const runRound = async (): Promise<void> => {
    let finished = true
    try {
      const report = await purgeOnce(db, { auditRetentionDays, positions, signal: stopping.signal })
      finished = report.finished
      options.onRound(report)
      await renderMissing(db, { signal: stopping.signal })
    } catch (error) {
      options.onError(error)
    }
    schedule(finished ? options.intervalSeconds : options.intervalSeconds / 10)
  }
  schedule(options.intervalSeconds)
  return {
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await round
    },
  }
}
