import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import { ScopeSet } from '../../foundation/protocol/scope-set.ts'
import type { FileStore } from '../../foundation/storage/file-store.ts'
import type { Actor } from '../actor.ts'
import { JobInterrupted, type Progress, type RunningJob } from './job.ts'
import { extendLease, keepProgress, type Lease, noteStoring, type TakenJob } from './lease.ts'

export interface RunOptions {
  readonly at: SchoolDb
  readonly lease: Lease
  readonly files: FileStore | undefined
  /** Asked after each step: whether other work comes first now. */
  isTurnOver(): Promise<boolean>
}

/** One run of a job, from a place where it stood to the next place where it stands. */
export class JobRun implements RunningJob<unknown, unknown> {
  readonly id: string
  readonly input: unknown
  readonly createdAt: Date
  readonly actor: Actor
  readonly at: SchoolDb
  readonly files: FileStore | undefined
  cursor: unknown
  done: number
  total: number | undefined
  readonly #options: RunOptions
  #lost = false

  constructor(job: TakenJob, options: RunOptions) {
    this.#options = options
    this.at = options.at
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
    const { progress, isCancelled } = await this.at.transaction(async (tx) => {
      const made = await work(tx)
      // Last: PostgreSQL keeps the row locked from here to the commit, so no other run can take the job in between.
      return { progress: made, isCancelled: await keepProgress(tx, lease, made, this.actor.roles) }
    })
    this.cursor = progress.cursor
    this.done = progress.done
    this.total = progress.total ?? this.total
    if (isCancelled) throw new JobInterrupted('cancelled')
    if (await this.#options.isTurnOver()) throw new JobInterrupted('turn_over')
  }

  async willStore(key: string): Promise<void> {
    await noteStoring(this.at, this.#options.lease, key)
  }

  /** Between steps, on a timer: a step may take longer than the lease. */
  async extend(): Promise<void> {
    try {
      await extendLease(this.at, this.#options.lease)
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
