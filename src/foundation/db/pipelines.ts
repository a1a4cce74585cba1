import { Limiter } from '../concurrency/limiter.ts'
import { mayTryNextHost } from './hosts.ts'
import { Pipeline, type PipelineSettings } from './pipeline.ts'
import {
  BUSY,
  DatabaseUnavailableError,
  isDatabaseUnavailable,
  refuseBusy,
  toDatabaseError,
} from './unavailable.ts'

/** Longest expected wait on a connection before another one is opened. */
const PATIENCE_MS = 5
/** Above this expected wait, fail at once with "database busy". */
const MAX_WAIT_MS = 5_000
/** How long no further connection is tried after one could not be opened. */
const OPEN_AGAIN_MS = 1_000

/** Statements in flight on each connection, at most. */
const PER_CONNECTION = 16
/** Further statements of one school are refused. */
const MAX_WAITING = 1_000
/**
 * Statements of one school that wait to go on alone. Not zero: two schools can hold every such place with their locks,
 * and a third one must get its turn when they end.
 */
const MAX_WAITING_ALONE = 8

const LOCK_NOT_AVAILABLE = '55P03'

export interface PipelinesSettings extends PipelineSettings {
  readonly maxConnections: number
  /** Runs a statement that waits for a lock, on a connection that no other statement waits for. */
  readonly runAlone: <R>(
    text: string,
    values: readonly unknown[],
    share: string,
  ) => Promise<Answer<R>>
  readonly maxAlone: number
  /** How long a statement waits until it is sent, and again until it goes on alone. */
  readonly waitMs: number
}

export interface Answer<R> {
  readonly rows: readonly R[]
}

/**
 * A few connections that carry the statements of many requests at once. With one statement per connection
 * PostgreSQL and Node go to sleep and wake up for each, which takes longer than to find a token. Here
 * the next statement has arrived when one is done, and several answers are read at once.
 *
 * Answers come in order: a statement that waits for a lock or a slow disk holds up all behind it. So a
 * statement goes to the first connection that answers soon: to a single one while answers are fast, to
 * all of them when each is a write that takes time to be flushed. A statement that waits for a lock
 * fails here after `lock_timeout` and waits on alone. Only a limited number does, in turns of the schools. As long as it
 * waits, statements of the same text and school do not come here at all: members who wait for a lock at one
 * school must not hold up the other schools. How many statements of a school are in flight is limited as
 * everywhere (see Limiter).
 */
export class Pipelines {
  readonly #settings: PipelinesSettings
  readonly #pipelines = new Set<Pipeline>()
  readonly #places: Limiter
  readonly #alone: Limiter
  /** By school and text, how many statements wait for a lock, alone. */
  readonly #stuck = new Map<string, number>()
  #openAgainAt = 0
  #ended = false

  constructor(settings: PipelinesSettings) {
    this.#settings = settings
    this.#places = new Limiter({
      running: settings.maxConnections * PER_CONNECTION,
      waiting: MAX_WAITING,
      waitMs: settings.waitMs,
    })
    this.#alone = new Limiter({
      running: settings.maxAlone,
      waiting: MAX_WAITING_ALONE,
      waitMs: settings.waitMs,
    })
  }

  get connections(): number {
    return this.#pipelines.size
  }

  /** How many statements of a school wait to be sent. */
  waitingOf(share: string): number {
    return this.#places.waitingOf(share)
  }

  /** `share` is the school of the statement. A statement that has to wait for a lock waits alone. */
  async run<R>(text: string, values: readonly unknown[], share = ''): Promise<Answer<R>> {
    if (this.#stuck.size > 0 && this.#stuck.has(share + text)) {
      return await this.#runAlone<R>(text, values, share)
    }
    const turn = this.#places.enter(share)
    if (turn !== undefined) await turn.catch(refuseBusy)
    try {
      return await this.#runTogether<R>(text, values)
    } catch (error) {
      if (!isDatabaseUnavailable(error) || error.code !== LOCK_NOT_AVAILABLE) throw error
    } finally {
      this.#places.leave(share)
    }
    return await this.#runAlone<R>(text, values, share)
  }

  async #runTogether<R>(
    text: string,
    values: readonly unknown[],
    tries = this.#settings.connection.hosts?.count ?? 1,
  ): Promise<Answer<R>> {
    if (this.#ended)
      throw new DatabaseUnavailableError('Client was closed: the database was closed', '')
    this.#settings.watch.refuseIfAway()
    const now = performance.now()
    const pipeline = this.#choose(now)
    try {
      return await pipeline.run<R>(text, values, now)
    } catch (error) {
      // Once sent, a statement may have been executed, so it is not retried.
      if (!pipeline.hasFailedToOpen) throw error
      const failedAt = performance.now()
      this.#openAgainAt = failedAt + OPEN_AGAIN_MS
      const other = [...this.#pipelines].find(
        (one) => one.isOpen && one.expectedWait(failedAt) < MAX_WAIT_MS,
      )
      if (other !== undefined && !this.#ended) return await other.run<R>(text, values, failedAt)
      if (tries <= 1 || !mayTryNextHost(error)) throw toDatabaseError(error)
      return await this.#runTogether<R>(text, values, tries - 1)
    }
  }

  async end(): Promise<void> {
    this.#ended = true
    await Promise.all([...this.#pipelines].map((pipeline) => pipeline.end()))
  }

  #choose(now: number): Pipeline {
    let best: Pipeline | undefined
    let bestWait = Number.POSITIVE_INFINITY
    let usable = 0
    for (const pipeline of this.#pipelines) {
      if (!pipeline.isUsable) continue
      usable++
      const wait = pipeline.expectedWait(now)
      if (wait < PATIENCE_MS) return pipeline
      if (wait < bestWait) {
        best = pipeline
        bestWait = wait
      }
    }
    const mayOpen = best === undefined || now >= this.#openAgainAt
    if (mayOpen && usable < this.#settings.maxConnections) return this.#open(best?.pace ?? 0)
    if (best !== undefined && bestWait < MAX_WAIT_MS) return best
    throw new DatabaseUnavailableError(
      'PostgreSQL has answered nothing for seconds; try again later',
      BUSY,
    )
  }

  #open(pace: number): Pipeline {
    const pipeline: Pipeline = new Pipeline(this.#settings, pace, () =>
      this.#pipelines.delete(pipeline),
    )
    this.#pipelines.add(pipeline)
    return pipeline
  }

  async #runAlone<R>(text: string, values: readonly unknown[], share: string): Promise<Answer<R>> {
    const turn = this.#alone.enter(share)
    if (turn !== undefined) await turn.catch(refuseBusy)
    const key = share + text
    this.#stuck.set(key, (this.#stuck.get(key) ?? 0) + 1)
    try {
      return await this.#settings.runAlone<R>(text, values, share)
    } finally {
      const others = (this.#stuck.get(key) ?? 1) - 1
      if (others > 0) this.#stuck.set(key, others)
      else this.#stuck.delete(key)
      this.#alone.leave(share)
    }
  }
}
