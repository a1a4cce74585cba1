import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import { LruCache } from '../cache/lru-cache.ts'
import { Limiter, type Limits } from '../concurrency/limiter.ts'
import type { ConnectionPool } from './connection-pool.ts'
import type { Pipelines } from './pipelines.ts'
import { connectPrepared } from './prepared.ts'
import type { DB } from './schema.generated.ts'
import type { Lane } from './time-outs.ts'
import { refuseBusy } from './unavailable.ts'

type Db = Kysely<DB>

/** The database as one class of work of one school sees it. */
export interface View {
  readonly lane: Lane
  /** The school, or empty for work of the installation. Tenants take turns for connections. */
  readonly tenant: string
  /** What runs is cancelled once it is aborted; only in the class `batch`. */
  readonly signal?: AbortSignal | undefined
}

/** Views are remembered up to this number: of a few hundred schools. */
const MAX_VIEWS = 1_000

const lanesOf = new WeakMap<Db, Lanes>()

/** Makes a view of the database for each class of work of each school. */
export class Lanes {
  readonly #pools: Readonly<Record<Lane, ConnectionPool>>
  readonly #pipelines: Pipelines
  readonly #views = new LruCache<Db>(MAX_VIEWS)
  readonly #writers = new LruCache<Limiter>(MAX_VIEWS)
  readonly #writerLimits: Limits

  constructor(
    pools: Readonly<Record<Lane, ConnectionPool>>,
    pipelines: Pipelines,
    writerLimits: Limits,
  ) {
    this.#pools = pools
    this.#pipelines = pipelines
    this.#writerLimits = writerLimits
  }

  get db(): Db {
    return this.view({ lane: 'interactive', tenant: '' })
  }

  view(view: View): Db {
    if (view.signal !== undefined) return this.#make(view)
    const key = `${view.lane} ${view.tenant}`
    const known = this.#views.get(key)
    if (known !== undefined) return known
    const made = this.#make(view)
    this.#views.set(key, made, 1)
    return made
  }

  writersOf(school: string): Limiter {
    const known = this.#writers.get(school)
    if (known !== undefined) return known
    const made = new Limiter(this.#writerLimits)
    this.#writers.set(school, made, 1)
    return made
  }

  waitingOf({ lane, tenant }: View): number {
    const waiting = this.#pools[lane].waitingOf(tenant)
    return lane === 'interactive' ? waiting + this.#pipelines.waitingOf(tenant) : waiting
  }

  #make({ lane, tenant, signal }: View): Db {
    const pool = {
      connect: () => this.#pools[lane].connect(tenant, signal),
      // The pools belong to the database and not to a view.
      end: async () => undefined,
    }
    // Kysely's interface also has cursors, which it uses only if the dialect is given a cursor
    // class.
    const db = new Kysely<DB>({
      dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }),
    })
    connectPrepared(db, this.#pipelines)
    lanesOf.set(db, this)
    return db
  }
}

/** How much work waits for a connection. */
export function waitingOf(db: Db, view: View): number {
  return lanesOf.get(db)?.waitingOf(view) ?? 0
}

/**
 * Runs a transaction of one caller of a school. One caller leaves places to others, and all of them
 * leave connections to what only reads, so that a revocation or the end of all apps finds its way
 * beside writes that are held.
 */
export async function asWriter<R>(
  db: Db,
  school: string,
  caller: string,
  work: () => Promise<R>,
): Promise<R> {
  const writers = lanesOf.get(db)?.writersOf(school)
  await writers?.enter(caller)?.catch(refuseBusy)
  try {
    return await work()
  } finally {
    writers?.leave(caller)
  }
}

/** A transaction has its connection already: its only view is itself. */
export function viewOf(db: Db, view: View): Db {
  return lanesOf.get(db)?.view(view) ?? db
}
