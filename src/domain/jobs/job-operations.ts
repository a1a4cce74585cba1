import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { count, id, utc } from '../operation/fields.ts'
import { filter } from '../operation/list-filters.ts'
import { listOperation } from '../operation/list-operation.ts'
import { readOperation } from '../operation/object-operations.ts'
import { API_ROOT, type WriteOperation } from '../operation/operation.ts'
import { conflict } from '../operation/refusal.ts'
import { loadObject, type Resource } from '../operation/resource.ts'
import { KEPT_DAYS } from './finish-job.ts'

/** For the reference; jobs come and go, so no school has it. */
const EXAMPLE_JOB = '01980000-0000-7000-8000-000000000001'

const JOB_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const
const state = z.enum(JOB_STATES)

export const jobSchema = z
  .strictObject({
    object: z.literal('job'),
    id,
    operation: z.string().meta({ description: 'The operation that started it.' }),
    title: z.string().meta({ description: 'What it does, in words.' }),
    state,
    done: count.meta({ description: 'How much is done, in the unit of the operation.' }),
    total: count.nullable().meta({ description: 'Of how much; null while it is not known.' }),
    result: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'What the operation answers, once the job is done.' }),
    problem: z.string().nullable().meta({ description: 'Why it failed, and what to do.' }),
    file_url: z.string().nullable().meta({
      description:
        'Where the person who started it downloads its file, with the same kind of token.',
    }),
    can_cancel: z.boolean(),
    started_by: id.nullable(),
    created_at: utc,
    started_at: utc.nullable(),
    finished_at: utc.nullable(),
    expires_at: utc
      .nullable()
      .meta({ description: 'When the job and its file are removed; null until it is finished.' }),
  })
  .meta({ id: 'Job' })

/**
 * A token shows the jobs that the same person started with the same client, if it has the scopes of
 * the operation.
 */
export const jobs: Resource<typeof jobSchema> = {
  object: 'job',
  schema: jobSchema,
  restPath: '/jobs/{id}',
  rows: (db, { origin, scopes, userId, clientId }) => sql`
    select j.id, j.kind as operation, j.title, j.state, j.done_count as done, j.total_count as total, j.result,
      j.problem, case when j.state = 'done' and j.files <> '[]' then
        ${`${origin}${API_ROOT}/jobs/`}::text || j.id || '/file' end as file_url,
      j.can_cancel and not j.cancel_requested and j.state in ('waiting', 'running') as can_cancel,
      j.user_id as started_by, j.created_at, j.started_at, j.finished_at, j.expires_at
    from jobs j where j.school_id = ${db.schoolId} and not j.of_member ${
      scopes === undefined
        ? sql``
        : sql`and j.user_id = ${userId ?? null} and j.client_id = ${clientId ?? null}
            and j.scopes <> '{}' and j.scopes <@ ${scopes.toArray()}::text[]`
    }`,
}

/** The rows decide what a token sees, so no scope is needed to ask. */
const SEEN_BY_SCOPES = { scopes: [], judgesScopes: true } as const

export const listJobs = listOperation({
  name: 'jobs.list',
  title: 'List jobs',
  summary: `Long work that you started and that still runs, or that ended in the last ${KEPT_DAYS} days. You see jobs of operations for which the token has the scopes.`,
  ...SEEN_BY_SCOPES,
  of: jobs,
  filters: { state: filter(state, (value) => sql`r.state = ${value}`) },
  sorts: { created_at: 'time' },
  defaultSort: '-created_at',
})

export const readJob = readOperation({
  name: 'jobs.read',
  title: 'Read a job',
  summary: 'How far a job is, and once it is done, its result. Ask again every few seconds.',
  ...SEEN_BY_SCOPES,
  of: jobs,
  examples: [{ title: 'One job', input: { id: EXAMPLE_JOB } }],
})

const named = z.strictObject({ id })

export const cancelJob: WriteOperation<typeof named, typeof jobSchema> = {
  name: 'jobs.cancel',
  title: 'Cancel a job',
  summary: 'Ends a job after the step that it is at. What it has done until then stays.',
  ...SEEN_BY_SCOPES,
  kind: 'change',
  input: named,
  output: jobSchema,
  restPath: jobs.restPath,
  examples: [{ title: 'One job', input: { id: EXAMPLE_JOB } }],
  async run(tx, caller, { id: job }) {
    // First, because a token may cancel only what it sees.
    await loadObject(tx, caller, jobs, job)
    if (!(await requestCancel(tx, job))) {
      throw conflict('not_cancellable', 'This job is finished, or it cannot be canceled.')
    }
    return await loadObject(tx, caller, jobs, job)
  },
}

/** One that waits ends now; one that runs is ended by its worker. */
async function requestCancel(tx: SchoolTx, job: string): Promise<boolean> {
  const { rows } = await tx.run(sql`
    update jobs set cancel_requested = true,
      state = case when state = 'waiting' then 'cancelled' else state end,
      finished_at = case when state = 'waiting' then now() end,
      expires_at = case when state = 'waiting' then now() + make_interval(days => ${KEPT_DAYS}) end
    where school_id = ${tx.schoolId} and id = ${job} and state in ('waiting', 'running') and can_cancel
    returning 1`)
  return rows.length > 0
}

export const jobOperations = {
  list: listJobs,
  read: readJob,
  cancel: cancelJob,
}
