import { sql } from 'kysely'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { record } from '../audit/audit.ts'
import type { JobKind, JobResult } from './job.ts'
import type { Lease, TakenJob } from './lease.ts'

/** How long a finished job and its files are kept. */
export const KEPT_DAYS = 7

export type JobEnd =
  | { readonly state: 'done'; readonly result: JobResult }
  | { readonly state: 'failed'; readonly problem: string }
  | { readonly state: 'cancelled' }

/** Sets the state and writes the audit entry of the job together. Returns false, and does nothing, if the lease is lost. */
export async function finishJob(
  at: SchoolDb,
  lease: Lease,
  job: TakenJob,
  kind: JobKind | undefined,
  end: JobEnd,
): Promise<boolean> {
  return await at.transaction(async (tx) => {
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
