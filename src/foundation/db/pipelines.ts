import { Limiter } from '../concurrency/limiter.ts'
import { countStatement, turnOf } from '../concurrency/usage-meter.ts'
import { ClosableClient } from './closable-client.ts'
import { type ConnectionSettings, mayTryNextHost } from './hosts.ts'
import { NamedStatements, type StatementSettings } from './named-statements.ts'
import { requirePrimary } from './primary.ts'
import type { ConnectionState, SilenceWatch } from './silence-watch.ts'
import {
  BUSY,
  DatabaseUnavailableError,
  isDatabaseUnavailable,
  isOpeningTimedOut,
  refuseBusy,
  toDatabaseError,
} from './unavailable.ts'

/** How much the latest answer counts in the expected time of the next. */
const WEIGHT = 1 / 8
/**
 * A longer answer counts as this long: a statement that waited for a lock says little about the
 * next.
 */
const SLOWEST_MS = 100

interface PipelineSettings extends StatementSettings {
  readonly connection: ConnectionSettings
  /** To open a connection, and again to look at it. */
  readonly connectMs: number
  readonly onIdleError: (error: Error) => void
  readonly watch: SilenceWatch
  /** PostgreSQL ends every statement before this. */
  readonly giveUpMs: number
}

/**
 * One connection that takes statements without waiting for the answers to those before. Each
 * statement is a transaction of its own: if it fails, the others on the connection do not notice.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
class Pipeline {
  readonly #client: ClosableClient
  readonly #statements: NamedStatements
  readonly #opening: Promise<unknown>
  #state: 'opening' | 'open' | 'failed' | 'lost' = 'opening'
  #running = 0
  /** When the latest answer came, or the first statement was sent. */
  #progressAt = 0
  /** How long an answer takes after the one before it, in milliseconds. */
  #pace: number
  #gathers = false
  #onIdle: (() => void) | undefined

  constructor(settings: PipelineSettings, pace: number, onEnd: () => void) {
    this.#pace = pace
    const { connection, connectMs: connectionTimeoutMillis } = settings
    this.#client = new ClosableClient({ ...connection, connectionTimeoutMillis, pipeline: true })
    this.#statements = new NamedStatements(this.#client, settings)
    this.#client.once('end', onEnd)
    this.#client.on('error', (error) => {
      this.#state = 'lost'
      // pg also reports a conversation that it cannot follow, on a socket that still works.
      this.#client.socket.destroy()
      if (this.#running === 0) settings.onIdleError(error)
    })
    this.#opening = this.#open(settings)
    // The statements that wait for it report the failure.
    this.#opening.catch(() => undefined)
  }

  async #open({ connection, watch, connectMs, giveUpMs }: PipelineSettings): Promise<void> {
    const begunAt = performance.now()
    try {
      await this.#client.connect()
      await requirePrimary(this.#client, connectMs)
      watch.add(this.#client, () => this.#connectionState, giveUpMs)
      this.#state = 'open'
      this.#progressAt = performance.now()
    } catch (error) {
      this.#state = 'failed'
      this.#client.socket.destroy()
      connection.hosts?.failed(this.#client.address)
      if (isOpeningTimedOut(error)) await watch.couldNotOpen(begunAt)
      throw error
    }
  }

  get isOpen(): boolean {
    return this.#state === 'open' && !this.#statements.isSpent
  }

  /** Whether it takes further statements. */
  get isUsable(): boolean {
    return this.#state === 'opening' || this.isOpen
  }

  /** Then no statement was ever sent to it. */
  get hasFailedToOpen(): boolean {
    return this.#state === 'failed'
  }

  get pace(): number {
    return this.#pace
  }

  /** How long no answer has come although a statement runs. */
  silence(now: number): number {
    return this.#running === 0 || this.#state === 'opening' ? 0 : now - this.#progressAt
  }

  expectedWait(now: number): number {
    return Math.max(this.silence(now), this.#running * this.#pace)
  }

  async run<R>(text: string, values: readonly unknown[], now: number): Promise<{ rows: R[] }> {
    if (this.#running++ === 0) this.#progressAt = now
    try {
      if (this.#state === 'opening') await this.#opening
      this.#gatherWrites()
      return await this.#statements.run<R>(text, values)
    } finally {
      this.#noteAnswer()
    }
  }

  /** Waits for the statements that run; no further one may come. */
  async end(): Promise<void> {
    await this.#opening.catch(() => undefined)
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
    }
    await this.#client.close()
  }

  get #connectionState(): ConnectionState {
    return this.#running === 0 ? 'idle' : 'waiting'
  }

  /**
   * Sends what one turn of the event loop writes in one piece: a quarter less CPU for a small read.
   */
  #gatherWrites(): void {
    if (this.#gathers) return
    this.#gathers = true
    this.#client.socket.cork()
    setImmediate(() => {
      this.#gathers = false
      this.#client.socket.uncork()
    })
  }

  #noteAnswer(): void {
    const now = performance.now()
    this.#pace += (Math.min(now - this.#progressAt, SLOWEST_MS) - this.#pace) * WEIGHT
    this.#progressAt = now
    this.#running--
    if (this.#running > 0) return
    this.#onIdle?.()
    if (this.#statements.isSpent) void this.#client.close()
  }
}

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
 * Statements of one school that wait to go on alone. Not zero: two schools can hold every such
 * place with their locks, and a third one must get its turn when they end.
 */
const MAX_WAITING_ALONE = 8

const LOCK_NOT_AVAILABLE = '55P03'

export interface PipelinesSettings extends PipelineSettings {
  readonly maxConnections: number
  /** Runs a statement that waits for a lock, on a connection that no other statement waits for. */
  readonly runAlone: <R>(
    text: string,
    values: readonly unknown[],
    tenant: string,
  ) => Promise<Answer<R>>
  readonly maxAlone: number
  /** How long a statement waits until it is sent, and again until it goes on alone. */
  readonly waitMs: number
}

export interface Answer<R> {
  readonly rows: readonly R[]
}

/**
 * A few connections that carry the statements of many requests at once. With one statement per
 * connection PostgreSQL and Node go to sleep and wake up for each, which takes longer than to find
 * a token. Here the next statement has arrived when one is done, and several answers are read at
 * once.
 *
 * Answers come in order: a statement that waits for a lock or a slow disk holds up all behind it.
 * So a statement goes to the first connection that answers soon: to a single one while answers are
 * fast, to all of them when each is a write that takes time to be flushed. A statement that waits
 * for a lock fails here after `lock_timeout` and waits on alone. Only a limited number does, in
 * turns of the schools. As long as it waits, statements of the same text and school do not come
 * here at all: members who wait for a lock at one school must not hold up the other schools. How
 * many statements of a school are in flight is limited as everywhere (see Limiter).
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
  waitingOf(tenant: string): number {
    return this.#places.waitingOf(tenant)
  }

  /**
   * `tenant` is the school of the statement. A statement that has to wait for a lock waits alone.
   */
  async run<R>(text: string, values: readonly unknown[], tenant = ''): Promise<Answer<R>> {
    if (this.#stuck.size > 0 && this.#stuck.has(tenant + text)) {
      return await this.#runAlone<R>(text, values, tenant)
    }
    const turn = this.#places.enter(tenant)
    if (turn !== undefined) await turn.catch(refuseBusy)
    countStatement(tenant)
    try {
      return await this.#runTogether<R>(text, values)
    } catch (error) {
      if (!isDatabaseUnavailable(error) || error.code !== LOCK_NOT_AVAILABLE) throw error
    } finally {
      this.#places.leave(tenant)
      const turn = turnOf(tenant)
      if (turn !== undefined) await turn
    }
    return await this.#runAlone<R>(text, values, tenant)
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

  async #runAlone<R>(text: string, values: readonly unknown[], tenant: string): Promise<Answer<R>> {
    const turn = this.#alone.enter(tenant)
    if (turn !== undefined) await turn.catch(refuseBusy)
    const key = tenant + text
    this.#stuck.set(key, (this.#stuck.get(key) ?? 0) + 1)
    try {
      return await this.#settings.runAlone<R>(text, values, tenant)
    } finally {
      const others = (this.#stuck.get(key) ?? 1) - 1
      if (others > 0) this.#stuck.set(key, others)
      else this.#stuck.delete(key)
      this.#alone.leave(tenant)
    }
  }
}
