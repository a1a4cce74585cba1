import { sql } from 'kysely'
import { acrossSchools, type SchoolDb, type SchoolTx } from '../../../foundation/db/school-db.ts'
import type { Actor } from '../../actor.ts'
import { startJob } from '../../jobs/start-job.ts'
import { COPY_KIND, copyJob } from './copy-job.ts'

/** Copies of all members of a school that wait or run. */
const MOST_OPEN = 100
/** A person gets one in this time. */
const HOURS_BETWEEN = 24

/** A copy of what this school holds about a person, or the work on it. */
export interface Copy {
  readonly id: string
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly askedAt: Date
  readonly finishedAt: Date | null
  readonly expiresAt: Date | null
  /** From when on the person may ask for another one; null if they may now. */
  readonly nextAt: Date | null
}

/** The newest copy of this person at this school. */
export async function findCopy(at: SchoolDb, userId: string): Promise<Copy | undefined> {
  const { rows } = await at.run(sql<Copy>`
    select id, state, created_at as "askedAt", finished_at as "finishedAt", expires_at as "expiresAt",
      case when state in ('waiting', 'running', 'done') and created_at > now() - make_interval(hours => ${HOURS_BETWEEN})
           then created_at + make_interval(hours => ${HOURS_BETWEEN}) end as "nextAt"
    from jobs
    where school_id = ${at.schoolId} and user_id = ${userId} and of_member and kind = ${COPY_KIND}
      and (expires_at is null or expires_at > now())
    order by id desc limit 1`)
  return rows[0]
}

export type StartedCopy = 'started' | 'open' | 'too_soon' | 'busy'

/** Starts the work on a copy. Only a signed-in person can ask, and only about themselves: there is no input. */
export async function startCopy(
  tx: SchoolTx,
  actor: Actor & { readonly userId: string },
): Promise<StartedCopy> {
  // Two that are asked for at the same time would both find none.
  await sql`select id from users where id = ${actor.userId} for no key update`.execute(
    acrossSchools(tx),
  )
  const newest = await findCopy(tx, actor.userId)
  if (newest?.state === 'waiting' || newest?.state === 'running') return 'open'
  if (newest !== undefined && newest.nextAt !== null) return 'too_soon'
  const { rows } = await tx.run(sql`
    select from jobs where school_id = ${tx.schoolId} and state = 'waiting' and of_member
    limit ${sql.lit(MOST_OPEN)}`)
  if (rows.length >= MOST_OPEN) return 'busy'
  await startJob(tx, actor, copyJob, { input: {}, title: 'Copy of your own data' })
  return 'started'
}

/** The keys of a finished copy in the file store, for the person whom it is about alone. */
export async function findCopyFiles(
  at: SchoolDb,
  userId: string,
  id: string,
): Promise<{ readonly keys: readonly string[]; readonly madeAt: Date } | undefined> {
  const { rows } = await at.run(sql<{ keys: string[]; madeAt: Date }>`
    select files as keys, finished_at as "madeAt" from jobs
    where school_id = ${at.schoolId} and id = ${id} and user_id = ${userId} and of_member
      and kind = ${COPY_KIND} and state = 'done' and expires_at > now()`)
  return rows[0]
}
