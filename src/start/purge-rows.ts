import { auditSweep } from '../domain/audit/audit.ts'
import { clientSweeps } from '../domain/clients/client.ts'
import { fillSeatTimes } from '../domain/consulting/seat-operations.ts'
import { renderMissing } from '../domain/content/rendered-texts.ts'
import {
  grantSweeps,
  keepPurgePosition,
  readPurgePositions,
} from '../domain/grants/purge-grants.ts'
import { idempotencySweep } from '../domain/idempotency/repeated-write.ts'
import { lateNewsSweep, mailedSweep } from '../domain/notifications/queue-news.ts'
import { peopleSweeps } from '../domain/people/purge-people.ts'
import { schoolSweep } from '../domain/schools/delete-school.ts'
import { usageSweep } from '../domain/schools/usage.ts'
import type { Db } from '../foundation/db/database.ts'
import type { Sweep, SweepStep } from '../foundation/db/sweep.ts'

/** Rows that one step looks at, and steps of one sweep in one round. */
const STEP_ROWS = 1000
const STEPS_PER_ROUND = 200

/**
 * Where each sweep without a kept position stopped, so that a long table is swept in several
 * rounds.
 */
export type PurgePositions = Map<string, string>

export interface PurgeOptions {
  readonly auditRetentionDays: number
  readonly positions?: PurgePositions
  readonly signal?: AbortSignal
  readonly stepRows?: number
  readonly stepsPerRound?: number
  readonly now?: number
}

export interface PurgeReport {
  /**
   * Removed rows by kind; `unused_children` and `surplus_authorizations` were revoked, not removed.
   */
  readonly removed: Readonly<Record<string, number>>
  /** False if a sweep continues in the next round. */
  readonly finished: boolean
}

/** One bounded round over everything that expires. Several processes may do this at once. */
export async function purgeOnce(db: Db, options: PurgeOptions): Promise<PurgeReport> {
  const { positions = new Map(), stepRows = STEP_ROWS, stepsPerRound = STEPS_PER_ROUND } = options
  const { signal, now = Date.now() } = options
  const kept = await readPurgePositions(db)
  const removed: Record<string, number> = {}
  let finished = true
  for (const sweep of sweepsOf(options)) {
    const { name, position, steps = stepsPerRound } = sweep
    const known = position === undefined ? positions : kept
    const begin = known.get(position ?? name)
    let progress: Pick<SweepStep, 'last' | 'isDone'> = { last: begin, isDone: false }
    removed[name] ??= 0
    for (let n = 0; n < Math.min(steps, stepsPerRound); n++) {
      if (progress.isDone || signal?.aborted) break
      const step = await sweep.step(db, { after: progress.last, size: stepRows, now })
      for (const [what, rows] of Object.entries({ ...step.removedToo, [name]: step.removed })) {
        removed[what] = (removed[what] ?? 0) + rows
      }
      progress = step
    }
    const { last, isDone } = progress
    if (position !== undefined && last !== begin) await keepPurgePosition(db, position, last)
    if (last === undefined) positions.delete(name)
    else if (position === undefined) positions.set(name, last)
    if (!isDone && sweep.steps === undefined) finished = false
  }
  return { removed, finished: finished && signal?.aborted !== true }
}

function sweepsOf({ auditRetentionDays }: PurgeOptions): readonly Sweep[] {
  return [
    ...grantSweeps,
    ...peopleSweeps,
    ...clientSweeps,
    idempotencySweep,
    schoolSweep,
    usageSweep,
    mailedSweep,
    lateNewsSweep,
    auditSweep(auditRetentionDays),
  ]
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
      await fillSeatTimes(db, stopping.signal)
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
