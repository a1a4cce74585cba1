import type { Socket } from 'node:net'
import type pg from 'pg'

/** Nobody is put where an answer is to be expected later than this while there is another connection. */
const PATIENCE_MS = 5
/** Whoever would have to wait longer than this is told at once that the database is busy. */
const MOST_WAIT_MS = 5_000
/** After a connection could not be opened, those there are must do for so long. */
const OPEN_AGAIN_MS = 1_000
/** How much the last answer counts in what is expected of the next. */
const WEIGHT = 1 / 8
/** One that waited for a lock says little about the next: it counts as if it had taken so long. */
const SLOWEST_MS = 100
/** How often silent connections are looked for. */
const LOOK_MS = 5_000

export interface PipelineSettings {
  readonly open: () => pg.Client
  /** How many connections at most. */
  readonly most: number
  /** Runs a statement where nobody is behind it. */
  readonly runAlone: (text: string, values: readonly unknown[]) => Promise<{ rows: unknown[] }>
  /** How many may be run alone at a time. */
  readonly mostAlone: number
  /** A connection that was silent for so long is given up: no statement may take that long. */
  readonly giveUpMs: number
  readonly onIdleError: (error: Error) => void
}

/** A lock was not to be had within `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03'

/** Counts among PostgreSQL's own "insufficient resources". */
class DatabaseBusyError extends Error {
  override readonly name = 'DatabaseBusyError'
  readonly code = '53000'
}

/**
 * Connections that take the statements of many requests without waiting for an answer in between. On
 * connections of their own PostgreSQL and Node would go to sleep and be woken for every statement,
 * which takes longer than to find a token; here the next statement is there when one is done, and
 * several answers are read at once.
 *
 * Answers come in order, so whoever is behind a statement that waits, for a lock or for a slow disk,
 * waits with it. Statements therefore go to the first connection that makes headway: to one alone while
 * they take no time, to all when each is a write that takes a while to be flushed. Whoever waits for a
 * lock for longer than `lock_timeout` allows here goes on waiting alone, and not too many of them do:
 * else a few who wait for somebody at one school would stop all schools. Each statement is a
 * transaction of its own: if it fails, the others do not notice, and it may be sent again.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export class Pipelines {
  readonly #settings: PipelineSettings
  #pipelines: readonly Pipeline[] = []
  #mayOpenAt = 0
  #alone = 0
  #ended = false
  readonly #looks: NodeJS.Timeout

  constructor(settings: PipelineSettings) {
    this.#settings = settings
    // By the clock, for nobody else may come who would notice.
    this.#looks = setInterval(() => this.#abandonSilent(), LOOK_MS)
    this.#looks.unref()
  }

  get connections(): number {
    return this.#pipelines.length
  }

  async run<R>(text: string, values: readonly unknown[]): Promise<{ readonly rows: readonly R[] }> {
    if (this.#ended) throw new Error('Client was closed: nothing can be asked of it any more')
    const now = performance.now()
    const pipeline = this.#choose(now)
    try {
      return await pipeline.run<R>(text, values, now)
    } catch (error) {
      if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) {
        return await this.#runAlone<R>(text, values)
      }
      const other = this.#pipelines.find(({ isOpen }) => isOpen)
      // What was sent may have been done, and is nobody's to send again.
      if (pipeline.isOpen || other === undefined || this.#ended) throw error
      this.#mayOpenAt = performance.now() + OPEN_AGAIN_MS
      return await other.run<R>(text, values, performance.now())
    }
  }

  async end(): Promise<void> {
    this.#ended = true
    clearInterval(this.#looks)
    await Promise.all(this.#pipelines.map((pipeline) => pipeline.end()))
  }

  #choose(now: number): Pipeline {
    let best: { readonly pipeline: Pipeline; readonly wait: number } | undefined
    for (const pipeline of this.#pipelines) {
      const wait = pipeline.expectedWait(now)
      if (wait < PATIENCE_MS) return pipeline
      if (best === undefined || wait < best.wait) best = { pipeline, wait }
    }
    const mayOpen = best === undefined || now >= this.#mayOpenAt
    if (mayOpen && this.#pipelines.length < this.#settings.most) {
      return this.#add(best?.pipeline.pace ?? 0)
    }
    if (best !== undefined && best.wait < MOST_WAIT_MS) return best.pipeline
    throw new DatabaseBusyError('PostgreSQL has answered nothing for seconds; try again later')
  }

  async #runAlone<R>(
    text: string,
    values: readonly unknown[],
  ): Promise<{ readonly rows: readonly R[] }> {
    if (this.#alone >= this.#settings.mostAlone) {
      throw new DatabaseBusyError(
        'Too many wait for what somebody else is changing; try again later',
      )
    }
    this.#alone++
    try {
      const { rows } = await this.#settings.runAlone(text, values)
      return { rows: rows as readonly R[] }
    } finally {
      this.#alone--
    }
  }

  #abandonSilent(): void {
    const now = performance.now()
    for (const pipeline of this.#pipelines) {
      if (pipeline.silence(now) > this.#settings.giveUpMs) pipeline.abandon()
    }
  }

  #add(pace: number): Pipeline {
    const client = this.#settings.open()
    const pipeline = new Pipeline(client, pace)
    this.#pipelines = [...this.#pipelines, pipeline]
    const remove = (): void => {
      this.#pipelines = this.#pipelines.filter((other) => other !== pipeline)
    }
    client.once('end', remove)
    client.on('error', (error) => {
      remove()
      // It may be the conversation that failed and not the socket.
      pipeline.end().catch(() => undefined)
      if (pipeline.waiting === 0) this.#settings.onIdleError(error)
    })
    return pipeline
  }
}

class Pipeline {
  readonly #client: pg.Client
  readonly #opening: Promise<unknown>
  #isOpen = false
  #waiting = 0
  /** When the last answer came, or the first statement was sent. */
  #headwayAt = 0
  /** How long an answer takes after the one before it, in milliseconds. */
  #pace: number
  #gathers = false

  constructor(client: pg.Client, pace: number) {
    this.#client = client
    this.#pace = pace
    this.#opening = client.connect().then(() => {
      this.#isOpen = true
      this.#headwayAt = performance.now()
    })
  }

  /** Or was, before it was lost. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  get waiting(): number {
    return this.#waiting
  }

  get pace(): number {
    return this.#pace
  }

  /** For how long nobody has been answered although somebody waits. */
  silence(now: number): number {
    return this.#waiting === 0 || !this.#isOpen ? 0 : now - this.#headwayAt
  }

  expectedWait(now: number): number {
    return Math.max(this.silence(now), this.#waiting * this.#pace)
  }

  run<R>(
    text: string,
    values: readonly unknown[],
    now: number,
  ): Promise<{ readonly rows: readonly R[] }> {
    if (this.#waiting++ === 0) this.#headwayAt = now
    const sent = this.#isOpen
      ? this.#send<R>(text, values)
      : this.#opening.then(() => this.#send<R>(text, values))
    return sent.finally(() => this.#noteAnswer())
  }

  /** Everybody who waits is told that the connection was lost. */
  abandon(): void {
    this.#stream.destroy(new Error('Connection terminated: PostgreSQL was silent for too long'))
  }

  /** Not while it is being opened: pg would leave those who wait for it waiting. */
  async end(): Promise<void> {
    await this.#opening.catch(() => undefined)
    await this.#client.end()
  }

  #noteAnswer(): void {
    const now = performance.now()
    this.#pace += (Math.min(now - this.#headwayAt, SLOWEST_MS) - this.#pace) * WEIGHT
    this.#headwayAt = now
    this.#waiting--
  }

  #send<R>(text: string, values: readonly unknown[]) {
    this.#gather()
    return this.#client.query<R & pg.QueryResultRow>(text, values as unknown[])
  }

  /** What is sent in one turn of the event loop goes out in one piece. */
  #gather(): void {
    if (this.#gathers) return
    this.#gathers = true
    const stream = this.#stream
    stream.cork()
    setImmediate(() => {
      this.#gathers = false
      stream.uncork()
    })
  }

  /** Another one once TLS was agreed on, so it is asked for each time. */
  get #stream(): Socket {
    return (this.#client as unknown as { connection: { stream: Socket } }).connection.stream
  }
}
