import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { JobKind } from '../jobs/job.ts'
import { jobSchema, jobs } from '../jobs/job-operations.ts'
import { startJob } from '../jobs/start-job.ts'
import type { WriteOperation } from '../operation/operation.ts'
import { loadObject } from '../operation/resource.ts'
import { countMarkedIn, LARGE, oneLarge, PARTS } from './count-marked.ts'

interface RecountCursor {
  /** The part whose keys are marked next; after the last one, what is marked is counted. */
  readonly part: number
  /** Its last key that was marked; null before the first. */
  readonly after: string | null
  /** When the last keys were marked. */
  readonly marked_at: string
}

const KEYS_AT_ONCE = 50
/** While another process counts for the school. */
const PAUSE_MS = 100

const START: RecountCursor = { part: 0, after: null, marked_at: '-infinity' }

/**
 * Counts every figure of a school anew. Answers are given from the figures meanwhile. The next keys
 * are marked in the step that counts the last ones, so that a cancelled job leaves few marks, which
 * the server counts.
 */
export const recountJob: JobKind<Record<string, never>, RecountCursor> = {
  name: 'analytics.recount',
  async run(job) {
    const total = job.total ?? (await countKeys(job.db))
    for (;;) {
      const { cursor = START, done } = job
      let left = 0
      let counted = 0
      await job.step(async (tx) => {
        const { cursor: next, marked } = await markNext(tx, cursor)
        const counting = { keys: KEYS_AT_ONCE, rows: LARGE, mayCountLarge: oneLarge() }
        counted = (await countMarkedIn(tx, counting)).keys
        left = next.part < PARTS.length ? KEYS_AT_ONCE : await countLeft(tx, next)
        return { cursor: next, done: done + marked, total }
      })
      if (left === 0) return { figure_count: job.done }
      if (counted === 0) await sleep(PAUSE_MS)
    }
  },
}

async function countKeys(db: SchoolDb): Promise<number> {
  return await db.transaction(async (tx) => {
    let total = 0
    for (const part of PARTS) {
      const { rows } = await tx.run(sql<{ many: number }>`
        select count(*)::int as many from (${part.keys(tx)}) k`)
      total += rows[0]?.many ?? 0
    }
    return total
  })
}

interface Marked {
  readonly cursor: RecountCursor
  readonly marked: number
}

async function markNext(tx: SchoolTx, cursor: RecountCursor): Promise<Marked> {
  const part = PARTS[cursor.part]
  if (part === undefined) return { cursor, marked: 0 }
  const { rows } = await tx.run(sql<{ marked: number; last: string | null; now: string }>`
    with next as materialized (
      select k.key from (${part.keys(tx)}) k
      where ${cursor.after}::text is null or k.key collate "C" > ${cursor.after}
      order by k.key collate "C" limit ${sql.lit(KEYS_AT_ONCE)}),
    marked as (
      insert into figure_marks (school_id, part, key) select ${tx.schoolId}::uuid, ${part.name}, key from next)
    select count(*)::int as marked, max(key collate "C") as last, now()::text from next`)
  const { marked = 0, last = null, now = cursor.marked_at } = rows[0] ?? {}
  const isLast = marked < KEYS_AT_ONCE
  return {
    cursor: {
      part: isLast ? cursor.part + 1 : cursor.part,
      after: isLast ? null : last,
      marked_at: now,
    },
    marked,
  }
}

async function countLeft(tx: SchoolTx, { marked_at }: RecountCursor): Promise<number> {
  const { rows } = await tx.run(sql<{ left: number }>`
    select count(*)::int as left from figure_marks
    where school_id = ${tx.schoolId} and marked_at <= ${marked_at}::timestamptz(3)`)
  return rows[0]?.left ?? 0
}

const nothing = z.strictObject({})

/**
 * It changes no figure that is right, so a token that may read the figures may start it, like an
 * export.
 */
const NEEDED = ['analytics:read']

export const recountAnalytics: WriteOperation<typeof nothing, typeof jobSchema> = {
  name: 'analytics.recount',
  title: 'Count the figures anew',
  summary:
    'Counts all figures of the school again from its rows, for example after rows were changed directly in the database. Answers with a job; the figures can be read meanwhile.',
  kind: 'create',
  scopes: NEEDED,
  input: nothing,
  output: jobSchema,
  restPath: jobs.restPath,
  examples: [{ title: 'All figures', input: {} }],
  async run(tx, actor) {
    const title = 'Count the figures anew'
    const job = await startJob(tx, actor, recountJob, { input: {}, title, scopes: NEEDED })
    return await loadObject(tx, actor, jobs, job)
  },
  // The job writes the entry when it ends.
  audit: () => [],
}
