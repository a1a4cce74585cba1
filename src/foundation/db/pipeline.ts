import { Socket } from 'node:net'
import pg from 'pg'
import { NamedStatements, type StatementSettings } from './named-statements.ts'

/** How much the latest answer counts in the expected time of the next. */
const WEIGHT = 1 / 8
/** A longer answer counts as this long: a statement that waited for a lock says little about the next. */
const SLOWEST_MS = 100

export interface PipelineSettings extends StatementSettings {
  readonly connection: pg.ClientConfig
  readonly onIdleError: (error: Error) => void
}

/**
 * One connection that takes statements without waiting for the answers to those before. Each statement is
 * a transaction of its own: if it fails, the others on the connection do not notice.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export class Pipeline {
  readonly #socket = new Socket()
  readonly #client: pg.Client
  readonly #statements: NamedStatements
  readonly #opening: Promise<unknown>
  #state: 'opening' | 'open' | 'failed' | 'lost' = 'opening'
  #running = 0
  /** When the latest answer came, or the first statement was sent. */
  #progressAt = 0
  /** How long an answer takes after the one before it, in milliseconds. */
  #pace: number
  #gathers = false

  constructor(settings: PipelineSettings, pace: number, onEnd: () => void) {
    this.#pace = pace
    const stream = () => this.#socket
    this.#client = new pg.Client({ ...settings.connection, pipeline: true, stream })
    this.#statements = new NamedStatements(this.#client, settings)
    this.#client.once('end', onEnd)
    this.#client.on('error', (error) => {
      this.#state = 'lost'
      // pg also reports a conversation that it cannot follow, on a socket that still works.
      this.#socket.destroy()
      if (this.#running === 0) settings.onIdleError(error)
    })
    this.#opening = this.#open()
    // The statements that wait for it report the failure.
    this.#opening.catch(() => undefined)
  }

  async #open(): Promise<void> {
    try {
      await this.#client.connect()
      this.#state = 'open'
      this.#progressAt = performance.now()
    } catch (error) {
      this.#state = 'failed'
      this.#socket.destroy()
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

  /** All statements on it fail as on a lost connection. */
  giveUp(): void {
    this.#socket.destroy(new Error('Connection terminated: PostgreSQL was silent for too long'))
  }

  /** Waits for the statements that run. While a connection opens, pg would never answer those. */
  async end(): Promise<void> {
    await this.#opening.catch(() => undefined)
    await this.#client.end()
  }

  /** Sends what one turn of the event loop writes in one piece: a quarter less CPU for a small read. */
  #gatherWrites(): void {
    if (this.#gathers) return
    this.#gathers = true
    this.#socket.cork()
    setImmediate(() => {
      this.#gathers = false
      this.#socket.uncork()
    })
  }

  #noteAnswer(): void {
    const now = performance.now()
    this.#pace += (Math.min(now - this.#progressAt, SLOWEST_MS) - this.#pace) * WEIGHT
    this.#progressAt = now
    this.#running--
    if (this.#running === 0 && this.#statements.isSpent) void this.end()
  }
}
