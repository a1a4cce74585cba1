import type pg from 'pg'

/** Nobody is put where an answer is to be expected later than this while there is another connection. */
const PATIENCE_MS = 5
/** How much the last answer counts in what is expected of the next. */
const WEIGHT = 1 / 8

/**
 * Connections that take the statements of many requests without waiting for an answer in between. On
 * connections of their own PostgreSQL and Node would go to sleep and be woken for every statement,
 * which takes longer than to find a token; here the next statement is there when one is done, and
 * several answers are read at once.
 *
 * Answers come in order, so whoever is behind a statement that waits, for a lock or for a slow disk,
 * waits with it. Statements therefore go to the first connection that makes headway: to one alone while
 * they take no time, to all when each is a write that takes a while to be flushed. Each is a transaction
 * of its own: if it fails, the others do not notice.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export class Pipelines {
  readonly #open: () => pg.Client
  readonly #most: number
  readonly #onIdleError: (error: Error) => void
  #pipelines: readonly Pipeline[] = []
  #ended = false

  constructor(open: () => pg.Client, most: number, onIdleError: (error: Error) => void) {
    this.#open = open
    this.#most = most
    this.#onIdleError = onIdleError
  }

  get connections(): number {
    return this.#pipelines.length
  }

  run<R>(text: string, values: readonly unknown[]): Promise<{ readonly rows: readonly R[] }> {
    const now = performance.now()
    return this.#choose(now).run<R>(text, values, now)
  }

  async end(): Promise<void> {
    this.#ended = true
    await Promise.all(this.#pipelines.map((pipeline) => pipeline.end()))
  }

  #choose(now: number): Pipeline {
    let shortest: Pipeline | undefined
    for (const pipeline of this.#pipelines) {
      if (pipeline.makesHeadway(now)) return pipeline
      if (shortest === undefined || pipeline.waiting < shortest.waiting) shortest = pipeline
    }
    if (shortest !== undefined && this.#pipelines.length === this.#most) return shortest
    return this.#add(shortest?.pace ?? 0)
  }

  #add(pace: number): Pipeline {
    if (this.#ended)
      throw new Error('The database was closed; nothing can be asked of it any more.')
    const client = this.#open()
    const pipeline = new Pipeline(client, pace)
    this.#pipelines = [...this.#pipelines, pipeline]
    const remove = (): void => {
      this.#pipelines = this.#pipelines.filter((other) => other !== pipeline)
    }
    client.once('end', remove)
    client.on('error', (error) => {
      remove()
      if (pipeline.waiting === 0) this.#onIdleError(error)
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
    })
  }

  get waiting(): number {
    return this.#waiting
  }

  get pace(): number {
    return this.#pace
  }

  makesHeadway(now: number): boolean {
    if (this.#waiting === 0) return true
    const moves = !this.#isOpen || now - this.#headwayAt < PATIENCE_MS
    return moves && this.#waiting * this.#pace < PATIENCE_MS
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

  end(): Promise<void> {
    return this.#client.end()
  }

  #noteAnswer(): void {
    const now = performance.now()
    this.#pace += (now - this.#headwayAt - this.#pace) * WEIGHT
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
    const { stream } = (this.#client as unknown as { connection: { stream: Corkable } }).connection
    stream.cork()
    setImmediate(() => {
      this.#gathers = false
      stream.uncork()
    })
  }
}

interface Corkable {
  cork(): void
  uncork(): void
}
