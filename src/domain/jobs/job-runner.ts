import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/crypto/random.ts'
import type { Db } from '../../foundation/db/database.ts'
import { viewOf } from '../../foundation/db/lanes.ts'
import { atSchool, type SchoolDb, type SchoolTx } from '../../foundation/db/school-db.ts'
import { isDatabaseUnavailable } from '../../foundation/db/unavailable.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import { type FileStore, FileStoreAwayError } from '../../foundation/storage/file-store.ts'
import type { Actor } from '../actor/actor.ts'
import { OperationRefused, type Refusal } from '../operation/refusal.ts'
import { finishJob, type JobEnd } from './finish-job.ts'
import { isLeaseLost, JobInterrupted, type JobKind, type Progress, type RunningJob } from './job.ts'
import {
  extendLease,
  keepProgress,
  LEASE_SECONDS,
  type Lease,
  noteStoring,
  othersWait,
  putBack,
  type RightToGoOn,
  type TakenJob,
  takeJob,
} from './lease.ts'

export interface RunOptions {
  readonly db: SchoolDb
  readonly lease: Lease
  readonly mayGoOn: RightToGoOn
  readonly files: FileStore | undefined
  /** Asked after each step: whether other work comes first now. */
  isTurnOver(): Promise<boolean>
}

/** One run of a job, from a place where it stood to the next place where it stands. */
class JobRun implements RunningJob<unknown, unknown> {
  readonly id: string
  readonly input: unknown
  readonly createdAt: Date
  readonly actor: Actor
  readonly db: SchoolDb
  readonly files: FileStore | undefined
  cursor: unknown
  done: number
  total: number | undefined
  readonly #options: RunOptions
  #lost = false

  constructor(job: TakenJob, options: RunOptions) {
    this.#options = options
    this.db = options.db
    this.files = options.files
    this.id = job.id
    this.input = job.input
    this.createdAt = job.createdAt
    this.actor = actorOf(job)
    this.cursor = job.cursor ?? undefined
    this.done = job.done
    this.total = job.total ?? undefined
  }

  async step(work: (tx: SchoolTx) => Promise<Progress<unknown>>): Promise<void> {
    if (this.#lost) throw new JobInterrupted('lease_lost')
    const { lease } = this.#options
    const mayGoOn = this.#options.mayGoOn(this.actor.roles, sql`for share`)
    const { progress, isCancelled } = await this.db.transaction(async (tx) => {
      const made = await work(tx)
      // Last: PostgreSQL keeps the row locked from here to the commit, so no other run can take the
      // job in between.
      return { progress: made, isCancelled: await keepProgress(tx, lease, made, mayGoOn) }
    })
    this.cursor = progress.cursor
    this.done = progress.done
    this.total = progress.total ?? this.total
    if (isCancelled) throw new JobInterrupted('cancelled')
    if (await this.#options.isTurnOver()) throw new JobInterrupted('turn_over')
  }

  async willStore(key: string): Promise<void> {
    await noteStoring(this.db, this.#options.lease, key)
  }

  /** Between steps, on a timer: a step may take longer than the lease. */
  async extend(): Promise<void> {
    try {
      await extendLease(this.db, this.#options.lease)
    } catch (error) {
      if (!(error instanceof JobInterrupted)) throw error
      this.#lost = true
    }
  }
}

function actorOf(job: TakenJob): Actor {
  return {
    via: job.via,
    userId: job.userId ?? undefined,
    roles: job.roles ?? (job.userId === null ? ['owner'] : []),
    origin: job.origin,
    scopes: job.clientId === null ? undefined : ScopeSet.of(job.scopes),
    clientId: job.clientId ?? undefined,
    authorizationId: job.authorizationId ?? undefined,
    requestId: job.requestId ?? undefined,
  }
}

export interface JobRunnerOptions {
  readonly kinds: readonly JobKind[]
  /** Asked before each run and in each step. */
  readonly mayGoOn: RightToGoOn
  readonly files?: FileStore | undefined
  readonly leaseSeconds?: number
  /** After this time a job gives way to those of other schools. */
  readonly turnMs?: number
  readonly onFinished?: ((state: JobEnd['state']) => void) | undefined
  readonly onError?: (error: unknown, job?: Pick<TakenJob, 'id' | 'kind' | 'schoolId'>) => void
}

/**
 * Jobs that a process works on at once, each of another school. Each uses one connection for batch
 * work.
 */
const AT_ONCE = 2
const TURN_MS = 5_000
/** A step that was begun so often never ends: it takes too long, or it stops the process. */
const MOST_ATTEMPTS = 10

/** Works on the jobs of all schools. Several processes may do this at once. */
export class JobRunner {
  readonly #db: Db
  readonly #kinds: ReadonlyMap<string, JobKind>
  readonly #options: JobRunnerOptions
  readonly #loops = new Set<Promise<void>>()
  #after: string | undefined
  #isWoken = false
  #isStopping = false

  constructor(db: Db, options: JobRunnerOptions) {
    this.#db = viewOf(db, { lane: 'batch', tenant: '' })
    this.#kinds = new Map(options.kinds.map((kind) => [kind.name, kind]))
    this.#options = options
  }

  /** There may be work. */
  wake(): void {
    this.#isWoken = true
    while (!this.#isStopping && this.#loops.size < AT_ONCE) {
      const loop = this.#workUntilIdle().finally(() => this.#loops.delete(loop))
      this.#loops.add(loop)
    }
  }

  /** Ends after the steps that run. Their jobs go back in line. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#loops)
  }

  async #workUntilIdle(): Promise<void> {
    try {
      do {
        this.#isWoken = false
        while (!this.#isStopping && (await this.runNext()));
      } while (this.#isWoken && !this.#isStopping)
    } catch (error) {
      this.#options.onError?.(error)
    }
  }

  /** Works on one job until it ends or gives way. False if none waits. */
  async runNext(): Promise<boolean> {
    const lease = {
      worker: uuidv7(),
      seconds: this.#options.leaseSeconds ?? LEASE_SECONDS,
    }
    const job = await takeJob(this.#db, {
      worker: lease.worker,
      kinds: [...this.#kinds.keys()],
      leaseSeconds: lease.seconds,
      mayGoOn: this.#options.mayGoOn,
      after: this.#after,
    })
    if (job === undefined) return false
    this.#after = job.schoolId
    await this.#work(job, { ...lease, id: job.id })
    return true
  }

  async #work(job: TakenJob, lease: Lease): Promise<void> {
    const kind = this.#kinds.get(job.kind)
    const db = atSchool(this.#db, job.schoolId, { lane: 'batch' })
    const began = Date.now()
    const run = new JobRun(job, {
      db,
      lease,
      mayGoOn: this.#options.mayGoOn,
      files: this.#options.files,
      isTurnOver: async () =>
        this.#isStopping ||
        (Date.now() - began >= (this.#options.turnMs ?? TURN_MS) &&
          (await othersWait(this.#db, job.schoolId))),
    })
    const extending = setInterval(
      () => void run.extend().catch((error) => this.#options.onError?.(error, job)),
      (lease.seconds * 1000) / 3,
    ).unref()
    try {
      if (job.storing !== null) await this.#options.files?.remove(job.storing)
      const end = reasonToEnd(job) ?? {
        state: 'done' as const,
        result: (await kind?.run(run)) ?? {},
      }
      await this.#finish(job, lease, kind, end)
    } catch (error) {
      await this.#interrupted(job, lease, kind, error)
    } finally {
      clearInterval(extending)
    }
  }

  async #interrupted(
    job: TakenJob,
    lease: Lease,
    kind: JobKind | undefined,
    error: unknown,
  ): Promise<void> {
    if (error instanceof JobInterrupted) {
      if (isLeaseLost(error)) return
      if (error.reason === 'turn_over') {
        return await putBack(atSchool(this.#db, job.schoolId, { lane: 'batch' }), lease)
      }
      const end: JobEnd =
        error.reason === 'cancelled'
          ? { state: 'cancelled' }
          : { state: 'failed', problem: FORBIDDEN }
      return await this.#finish(job, lease, kind, end)
    }
    if (error instanceof OperationRefused) {
      const problem = wordsOf(error.refusal)
      return await this.#finish(job, lease, kind, { state: 'failed', problem })
    }
    this.#options.onError?.(error, job)
    // The lease runs out, and the step is tried again.
    if (isDatabaseUnavailable(error) || error instanceof FileStoreAwayError) return
    await this.#finish(job, lease, kind, { state: 'failed', problem: OURS })
  }

  async #finish(
    job: TakenJob,
    lease: Lease,
    kind: JobKind | undefined,
    end: JobEnd,
  ): Promise<void> {
    const db = atSchool(this.#db, job.schoolId, { lane: 'batch' })
    if (await finishJob(db, lease, job, kind, end)) this.#options.onFinished?.(end.state)
  }
}

function reasonToEnd(job: TakenJob): JobEnd | undefined {
  if (job.cancelRequested) return { state: 'cancelled' }
  if (!job.mayGoOn) return { state: 'failed', problem: FORBIDDEN }
  if (job.attempts > MOST_ATTEMPTS) return { state: 'failed', problem: STUCK }
  return undefined
}

const FORBIDDEN =
  'The person who started it has signed out or lost the right to do so, or the app has. What was done until then stays. An owner or admin can start it again.'
const STUCK = `It was tried ${MOST_ATTEMPTS} times and did not get further. What was done until then stays. Tell the administrator of this server the id of the job.`
const OURS =
  'Something went wrong on our side. What was done until then stays. Start it again; if it fails again, tell the administrator of this server the id of the job.'

function wordsOf(refusal: Refusal): string {
  if (refusal.kind === 'invalid') return refusal.problems.map(({ detail }) => detail).join(' ')
  if (refusal.kind === 'stale') return 'The object was changed in the meantime. Start it again.'
  return refusal.detail
}
