import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../foundation/db/database.ts'
import { isSuspended } from '../../foundation/db/school-clock.ts'
import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { Actor, Role } from '../actor/actor.ts'
import { JobInterrupted, type Progress } from './job.ts'

/** A job that a run has taken. */
export interface TakenJob {
  readonly schoolId: string
  readonly id: string
  readonly kind: string
  readonly input: unknown
  readonly cursor: unknown
  readonly done: number
  readonly total: number | null
  readonly scopes: readonly string[]
  readonly via: Actor['via']
  readonly userId: string | null
  readonly clientId: string | null
  readonly authorizationId: string | null
  readonly requestId: string | null
  readonly createdAt: Date
  /** A file that the run before may have stored without saying so. */
  readonly storing: string | null
  /** 1 at the first try of a step. */
  readonly attempts: number
  readonly cancelRequested: boolean
  readonly mayGoOn: boolean
  readonly origin: string
  readonly roles: readonly Role[] | null
}

/** Above the longest pause of a process that is only busy. */
export const LEASE_SECONDS = 30

/** Far below an id of any school. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

const leaseUntil = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`

/**
 * Whether the job `j` may go on, as SQL. `lock` is `for share` where the job writes by it. A step
 * also needs all roles by which its rows are judged.
 */
export type RightToGoOn = (
  roles?: readonly Role[],
  lock?: RawBuilder<unknown>,
) => RawBuilder<boolean>

const taken = (mayGoOn: RightToGoOn) => sql`
  j.school_id as "schoolId", j.id, j.kind, j.input, j.cursor, j.done_count as done, j.total_count as total,
  j.scopes, j.via, j.user_id as "userId", j.client_id as "clientId", j.authorization_id as "authorizationId",
  j.request_id as "requestId", j.created_at as "createdAt", j.storing, j.attempts,
  j.cancel_requested as "cancelRequested", ${mayGoOn()} as "mayGoOn",
  (select s.origin from schools s where s.id = j.school_id) as origin,
  (select m.roles from school_members m where m.school_id = j.school_id and m.user_id = j.user_id) as roles`

export interface Taking {
  /**
   * A new id for each run, so that a run that lost its lease cannot be mistaken for the one that
   * has it.
   */
  readonly worker: string
  readonly kinds: readonly string[]
  readonly leaseSeconds: number
  /** The school whose job was taken last: schools take turns. */
  readonly after: string | undefined
  readonly mayGoOn: RightToGoOn
}

/**
 * Crosses schools: takes a job whose lease ran out, or else the oldest one of the next school that
 * has one waiting and none running. The cost does not depend on how many wait.
 */
export async function takeJob(db: Db, taking: Taking): Promise<TakenJob | undefined> {
  const { after = BEFORE_ALL } = taking
  return (
    (await take(
      db,
      taking,
      sql`w.state = 'running' and w.lease_until < now() order by w.lease_until`,
    )) ??
    (await take(db, taking, waitingBehind(after))) ??
    (await take(db, taking, waitingBehind(BEFORE_ALL)))
  )
}

const waitingBehind = (school: string) => sql`
  w.state = 'waiting' and w.school_id > ${school} and not exists (
    select from jobs r where r.school_id = w.school_id and r.state = 'running')
  order by w.school_id, w.id`

async function take(
  db: Db,
  { worker, kinds, leaseSeconds, mayGoOn }: Taking,
  which: RawBuilder<unknown>,
): Promise<TakenJob | undefined> {
  try {
    const { rows } = await sql<TakenJob>`
      update jobs j set state = 'running', worker = ${worker}, lease_until = ${leaseUntil(leaseSeconds)},
        attempts = j.attempts + 1, started_at = coalesce(j.started_at, now())
      from (
        select w.school_id, w.id from jobs w
        where w.kind = any (${kinds}::text[]) and not ${isSuspended(sql`w.school_id`)} and ${which} limit 1 for update skip locked) next
      where j.school_id = next.school_id and j.id = next.id
      returning ${taken(mayGoOn)}`.execute(db)
    return rows[0]
  } catch (error) {
    // Another process took a job of the same school at the same time.
    if (Reflect.get(Object(error), 'code') === '23505')
      return await take(db, { worker, kinds, leaseSeconds, mayGoOn, after: undefined }, which)
    throw error
  }
}

/** Names a run of a job. */
export interface Lease {
  readonly id: string
  readonly worker: string
  readonly seconds: number
}

const held = (db: SchoolDb, { id, worker }: Lease) => sql`
  j.school_id = ${db.schoolId} and j.id = ${id} and j.worker = ${worker} and j.state = 'running'`

/** Extends the lease between steps. Throws if it is lost. */
export async function extendLease(db: SchoolDb, lease: Lease): Promise<void> {
  const { rows } = await db.run(sql`
    update jobs j set lease_until = ${leaseUntil(lease.seconds)} where ${held(db, lease)} returning 1`)
  if (rows.length === 0) throw new JobInterrupted('lease_lost')
}

/** Throws if the lease is lost. */
export async function noteStoring(db: SchoolDb, lease: Lease, key: string): Promise<void> {
  const { rows } = await db.run(sql`
    update jobs j set storing = ${key} where ${held(db, lease)} returning 1`)
  if (rows.length === 0) throw new JobInterrupted('lease_lost')
}

/**
 * Moves the cursor in the transaction of a step, and says whether the job is to be cancelled.
 * Throws if the lease is lost, or the right to do this job: the step is rolled back.
 */
export async function keepProgress(
  tx: SchoolTx,
  lease: Lease,
  { cursor, done, total, files = [] }: Progress<unknown>,
  mayGoOn: RawBuilder<boolean>,
): Promise<boolean> {
  const { rows: starters } = await tx.run(sql<{ mayGoOn: boolean; waits: boolean }>`
    select ${mayGoOn} as "mayGoOn", ${isSuspended(sql`j.school_id`)} as waits from jobs j
    where j.school_id = ${tx.schoolId} and j.id = ${lease.id}`)
  if (starters[0]?.mayGoOn === false) throw new JobInterrupted('forbidden')
  // It goes on from the step before, once the school is resumed.
  if (starters[0]?.waits === true) throw new JobInterrupted('turn_over')
  const { rows } = await tx.run(sql<{ cancelRequested: boolean }>`
    update jobs j set cursor = ${JSON.stringify(cursor)}::jsonb, done_count = ${done},
      total_count = coalesce(${total ?? null}::bigint, j.total_count),
      files = j.files || ${JSON.stringify(files)}::jsonb, attempts = 0, storing = null,
      lease_until = ${leaseUntil(lease.seconds)}
    where ${held(tx, lease)}
    returning j.cancel_requested as "cancelRequested"`)
  if (rows[0] === undefined) throw new JobInterrupted('lease_lost')
  return rows[0].cancelRequested
}

/** Puts a job back in line, at the place of its school. */
export async function putBack(db: SchoolDb, lease: Lease): Promise<void> {
  await db.run(sql`
    update jobs j set state = 'waiting', worker = null, lease_until = null where ${held(db, lease)}`)
}

/** Whether another school has a job that waits. */
export async function othersWait(db: Db, schoolId: string): Promise<boolean> {
  const { rows } = await sql`
    select from jobs w where w.state = 'waiting' and w.school_id <> ${schoolId}
      and not ${isSuspended(sql`w.school_id`)} and not exists (
      select from jobs r where r.school_id = w.school_id and r.state = 'running')
    limit 1`.execute(db)
  return rows.length > 0
}
