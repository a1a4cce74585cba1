import type { SchoolDb, SchoolTx } from '../../foundation/db/school-db.ts'
import type { FileStore } from '../../foundation/storage/file-store.ts'
import type { Actor } from '../actor/actor.ts'

/**
 * A kind of long work. Its file is beside its domain, and `catalogue/job-kinds.ts` lists it.
 *
 * `run` works in steps and may be called again at any step: after a crash, or because other schools
 * had their turn. It begins at `job.cursor`, which the last step that was committed left.
 */
export interface JobKind<I = unknown, C = unknown> {
  /** The name of the operation behind it, for the audit log. */
  readonly name: string
  /**
   * The rest of an operation that is already done and in the audit log. It goes on when the person
   * who started it leaves, cannot be cancelled, and no cap refuses it.
   */
  readonly isCleanUp?: true
  /**
   * What a member asked for about themselves. It goes on whatever roles they have, operators do not
   * see it, and it is not counted among the jobs of the school: its own file says how many there
   * may be.
   */
  readonly isOfMember?: true
  /** How long the finished job and its files are kept, if not as long as others. */
  readonly keptDays?: number
  /** Returns what the job answers with. */
  run(job: RunningJob<I, C>): Promise<JobResult>
}

export type JobResult = Readonly<Record<string, unknown>>

/** A job that is being worked on. */
export interface RunningJob<I, C> {
  readonly id: string
  readonly input: I
  /** When it was asked for. */
  readonly createdAt: Date
  /** Who asked, with the roles of now. */
  readonly actor: Actor
  /** Rows of the school outside a step, as batch work. Write nothing with it. */
  readonly db: SchoolDb
  /** Absent if the installation has none; what needs it is refused before it becomes a job. */
  readonly files: FileStore | undefined
  /** Where the next step begins; undefined at the beginning. */
  readonly cursor: C | undefined
  readonly done: number
  readonly total: number | undefined
  /**
   * Does a part of the work. What it writes, the new cursor and the progress are committed
   * together, and only while this run holds the lease: so no part is done twice. Keep it short: a
   * cancellation waits for it.
   */
  step(work: (tx: SchoolTx) => Promise<Progress<C>>): Promise<void>
  /**
   * Says that a file will be stored, before it is. If this run ends before the step that names it
   * among its files, the next run or the purge removes it.
   */
  willStore(key: string): Promise<void>
}

export interface Progress<C> {
  readonly cursor: C
  /** How much is done, in the unit of the kind. */
  readonly done: number
  readonly total?: number | undefined
  /** Keys of files that this step stored, after those of the steps before. */
  readonly files?: readonly string[] | undefined
}

/** Thrown by `step` to end a run. Kinds let it pass. */
export class JobInterrupted extends Error {
  override readonly name = 'JobInterrupted'
  readonly reason: 'cancelled' | 'forbidden' | 'lease_lost' | 'turn_over'

  constructor(reason: JobInterrupted['reason']) {
    super(reason)
    this.reason = reason
  }
}

/** Whether a step was undone because another run has the job. */
export function isLeaseLost(error: unknown): boolean {
  return error instanceof JobInterrupted && error.reason === 'lease_lost'
}
