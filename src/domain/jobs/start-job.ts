import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import { oneLine } from '../../foundation/text/visible-text.ts'
import type { Actor } from '../actor/actor.ts'
import { conflict } from '../operation/refusal.ts'
import type { JobKind } from './job.ts'

/** Jobs of one school that wait or run. */
export const MOST_OPEN_JOBS = 20
/** Finished jobs of one school that are kept, within the days that they are kept. */
const MOST_FINISHED = 200

/** Processes listen on this channel, so that a job does not wait for their next look. */
export const JOB_CHANNEL = 'job_waiting'

export interface NewJob<I> {
  readonly id?: string
  readonly input: I
  /** For people: what it does, in a few words. */
  readonly title: string
  /** A token needs them to see the job. */
  readonly scopes?: readonly string[]
}

/** The part of an actor that a job remembers. */
type Starter = Pick<
  Actor,
  'via' | 'userId' | 'sessionId' | 'clientId' | 'authorizationId' | 'requestId'
>

/** All of a kind, or what its row needs where the kind itself is in a room above. */
type StartedKind<I> = Partial<JobKind<I, never>> & Pick<JobKind<I, never>, 'name'>

/**
 * Adds a job in the transaction that decided on it, and returns its id. Refused if too many of the
 * school wait.
 */
export async function startJob<I>(
  tx: SchoolTx,
  actor: Starter,
  kind: StartedKind<I>,
  { id = uuidv7(), input, title, scopes = [] }: NewJob<I>,
): Promise<string> {
  const isOfMember = kind.isOfMember === true
  const isOfSchool = kind.isCleanUp !== true && !isOfMember
  if (isOfSchool) await checkRoom(tx)
  await tx
    .insert('jobs', {
      id,
      kind: kind.name,
      title: oneLine(title, 200),
      input: JSON.stringify(input),
      scopes: [...scopes],
      can_cancel: isOfSchool,
      of_member: isOfMember,
      via: actor.via,
      user_id: kind.isCleanUp === true ? null : (actor.userId ?? null),
      session_id: isOfSchool ? (actor.sessionId ?? null) : null,
      client_id: actor.clientId ?? null,
      authorization_id: kind.isCleanUp === true ? null : (actor.authorizationId ?? null),
      request_id: actor.requestId ?? null,
    })
    .execute()
  await tx.run(sql`
    update jobs set expires_at = now()
    where school_id = ${tx.schoolId} and id in (
      select id from jobs where school_id = ${tx.schoolId} and finished_at is not null and not of_member
      order by id desc offset ${MOST_FINISHED})`)
  // Sent when the transaction commits.
  await tx.run(sql`select pg_notify(${JOB_CHANNEL}, '')`)
  return id
}

/** Cancels everything that waits or runs at a school which ends; each ends after its step. */
export async function cancelAllJobs(tx: SchoolTx): Promise<void> {
  await tx.run(sql`
    update jobs set cancel_requested = true
    where school_id = ${tx.schoolId} and state in ('waiting', 'running')`)
}

async function checkRoom(tx: SchoolTx): Promise<void> {
  // Two that start at the same time would both find the last place.
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`jobs ${tx.schoolId}`}, 0))`)
  const { rows } = await tx.run(sql<{ open: number }>`
    select count(*) as open from jobs
    where school_id = ${tx.schoolId} and state in ('waiting', 'running') and can_cancel`)
  if ((rows[0]?.open ?? 0) < MOST_OPEN_JOBS) return
  throw conflict(
    'too_many_jobs',
    `${MOST_OPEN_JOBS} jobs of this school are waiting already. Wait until one is finished, or cancel one.`,
  )
}

/**
 * Ends what a member asked for about themselves, and lets the purge remove its files now. One that
 * runs ends after its step.
 */
export async function endJobsOfMember(tx: SchoolTx, userId: string): Promise<void> {
  await tx.run(sql`
    update jobs set cancel_requested = true,
      state = case when state = 'waiting' then 'cancelled' else state end,
      finished_at = case when state = 'waiting' then now() else finished_at end,
      expires_at = case when state = 'running' then expires_at else now() end
    where school_id = ${tx.schoolId} and user_id = ${userId} and of_member`)
}
