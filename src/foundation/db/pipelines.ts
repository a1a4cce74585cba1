import { Limiter, LimiterFull } from '../concurrency/limiter.ts'
import { Pipeline, type PipelineSettings } from './pipeline.ts'
import { DatabaseUnavailableError, isDatabaseUnavailable, toDatabaseError } from './unavailable.ts'

/** Longest expected wait on a connection before another one is opened. */
const PATIENCE_MS = 5
/** Above this expected wait, fail at once with "database busy". */
const MAX_WAIT_MS = 5_000
/** How long no further connection is tried after one could not be opened. */
const OPEN_AGAIN_MS = 1_000
const WATCH_MS = 5_000

const LOCK_NOT_AVAILABLE = '55P03'
/** insufficient_resources */
const BUSY = '53000'

export interface PipelinesSettings extends PipelineSettings {
  readonly maxConnections: number
  /** Runs a statement that waits for a lock, on a connection that no other statement waits for. */
  readonly runAlone: <R>(text: string, values: readonly unknown[]) => Promise<Answer<R>>
  readonly maxAlone: number
  /** A connection that is silent for longer is closed, and all its statements fail. */
  readonly giveUpMs: number
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
 * fails here after `lock_timeout` and waits on alone, and only a limited number does: members who wait
 * for a lock at one school must not hold up the other schools.
 */
export class Pipelines {
  readonly #settings: PipelinesSettings
  readonly #pipelines = new Set<Pipeline>()
  readonly #alone: Limiter
  #openAgainAt = 0
  #ended = false
  readonly #watch: NodeJS.Timeout

  constructor(settings: PipelinesSettings) {
    this.#settings = settings
    this.#alone = new Limiter({ running: settings.maxAlone, waiting: 0 })
    // On a timer: without traffic no other code would notice a dead connection.
    this.#watch = setInterval(() => this.#giveUpSilent(), WATCH_MS)
    this.#watch.unref()
  }

  get connections(): number {
    return this.#pipelines.size
  }

  async run<R>(text: string, values: readonly unknown[]): Promise<Answer<R>> {
    if (this.#ended)
      throw new DatabaseUnavailableError('Client was closed: the database was closed', '')
    const now = performance.now()
    const pipeline = this.#choose(now)
    try {
      return await this.#runOn<R>(pipeline, text, values, now)
    } catch (error) {
      // Once sent, a statement may have been executed, so it is not retried.
      if (!pipeline.hasFailedToOpen) throw error
      const failedAt = performance.now()
      this.#openAgainAt = failedAt + OPEN_AGAIN_MS
      const other = [...this.#pipelines].find(
        (one) => one.isOpen && one.expectedWait(failedAt) < MAX_WAIT_MS,
      )
      if (other === undefined || this.#ended) throw toDatabaseError(error)
      return await this.#runOn<R>(other, text, values, failedAt)
    }
  }

  /** A statement that has to wait for a lock waits alone. */
  async #runOn<R>(
    pipeline: Pipeline,
    text: string,
    values: readonly unknown[],
    now: number,
  ): Promise<Answer<R>> {
    try {
      return await pipeline.run<R>(text, values, now)
    } catch (error) {
      if (!isDatabaseUnavailable(error) || error.code !== LOCK_NOT_AVAILABLE) throw error
      return await this.#runAlone<R>(text, values)
    }
  }

  async end(): Promise<void> {
    this.#ended = true
    await Promise.all([...this.#pipelines].map((pipeline) => pipeline.end()))
    clearInterval(this.#watch)
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

  async #runAlone<R>(text: string, values: readonly unknown[]): Promise<Answer<R>> {
    try {
      return await this.#alone.run(() => this.#settings.runAlone<R>(text, values))
    } catch (error) {
      if (!(error instanceof LimiterFull)) throw error
      throw new DatabaseUnavailableError(
        'Too many statements wait for locks; try again later',
        BUSY,
      )
    }
  }

  #giveUpSilent(): void {
    const now = performance.now()
    for (const pipeline of this.#pipelines) {
      if (pipeline.silence(now) > this.#settings.giveUpMs) pipeline.giveUp()
    }
  }
}
