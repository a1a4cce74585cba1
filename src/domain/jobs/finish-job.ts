import { sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import { clockOf, isSuspended } from '../../foundation/db/school-clock.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { FileStore } from '../../foundation/storage/file-store.ts'
import { record } from '../audit/audit.ts'
import type { JobKind, JobResult } from './job.ts'
import type { Lease, TakenJob } from './lease.ts'

/** How long a finished job and its files are kept. */
export const KEPT_DAYS = 7

export type JobEnd =
  | { readonly state: 'done'; readonly result: JobResult }
  | { readonly state: 'failed'; readonly problem: string }
  | { readonly state: 'cancelled' }

/**
 * Sets the state and writes the audit entry of the job together. Returns false, and does nothing,
 * if the lease is lost.
 */
export async function finishJob(
  db: SchoolDb,
  lease: Lease,
  job: TakenJob,
  kind: JobKind | undefined,
  end: JobEnd,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await setState(tx, lease, kind?.keptDays ?? KEPT_DAYS, end))) return false
    if (kind?.isCleanUp === true) return true
    await record(tx, {
      action: 'operation.done',
      outcome: end.state === 'done' ? 'ok' : end.state,
      actorUserId: job.userId ?? undefined,
      clientId: job.clientId ?? undefined,
      authorizationId: job.authorizationId ?? undefined,
      requestId: job.requestId ?? undefined,
      subject: job.id,
      detail: {
        operation: job.kind,
        ...(end.state === 'done' ? countsOf(end.result) : {}),
        via: job.via,
      },
    })
    return true
  })
}

async function setState(
  tx: SchoolTx,
  { id, worker }: Lease,
  keptDays: number,
  end: JobEnd,
): Promise<boolean> {
  const { rows } = await tx.run(sql`
    update jobs set state = ${end.state}, worker = null, lease_until = null, finished_at = now(),
      expires_at = now() + make_interval(days => ${keptDays}),
      result = ${end.state === 'done' ? JSON.stringify(end.result) : null}::jsonb,
      problem = ${end.state === 'failed' ? end.problem.slice(0, 2000) : null}
    where school_id = ${tx.schoolId} and id = ${id} and worker = ${worker} and state = 'running'
    returning 1`)
  return rows.length > 0
}

/** The audit log keeps numbers and words, not lists of refused rows. */
function countsOf(result: JobResult): JobResult {
  return Object.fromEntries(
    Object.entries(result).filter(([, value]) => value === null || typeof value !== 'object'),
  )
}

export const jobClock = clockOf({
  table: 'jobs',
  until: { column: 'expires_at', began: 'finished_at' },
  running: ({ from }) => sql`t.expires_at > ${from}`,
})

/** Jobs that one call removes. */
export const PURGED_AT_ONCE = 100

/**
 * Crosses schools: removes finished jobs whose time is over, the files that they made and the one
 * that they read (`source`), also one that was stored when their process died. Files first: a file
 * without a row would stay for ever, a row without its file is found again. Returns how many were
 * removed.
 */
export async function purgeJobs(db: Db, files: FileStore): Promise<number> {
  const { rows } = await sql<{ school_id: string; id: string; files: string[] }>`
    select school_id, id, files || coalesce(jsonb_path_query_array(input, '$.source'), '[]')
      || to_jsonb(array_remove(array[storing], null)) as files
    from jobs where expires_at < now() and not ${isSuspended(sql`school_id`)}
    order by expires_at limit ${sql.lit(PURGED_AT_ONCE)}`.execute(db)
  for (const { school_id, id, files: keys } of rows) {
    for (const key of keys) await files.remove(key)
    await db.deleteFrom('jobs').where('school_id', '=', school_id).where('id', '=', id).execute()
  }
  return rows.length
}

export interface JobBacklog {
  readonly waiting: number
  readonly running: number
  /** Of those that wait; 0 if none does. */
  readonly oldestSeconds: number
}

/** More are not counted. */
const MOST_COUNTED = 10_000

/**
 * Crosses schools, without those that are suspended. Two small indexes hold these rows, whatever
 * else is in the table.
 */
export async function readJobBacklog(db: Db): Promise<JobBacklog> {
  const { rows } = await sql<JobBacklog>`
    select count(*)::int as waiting,
      coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds",
      (select count(*)::int from (select 1 from jobs where state = 'running' limit ${MOST_COUNTED}) r) as running
    from (select created_at from jobs
          where state = 'waiting' and not ${isSuspended(sql`school_id`)} limit ${MOST_COUNTED}) w`.execute(
    db,
  )
  return rows[0] ?? { waiting: 0, running: 0, oldestSeconds: 0 }
}
