import { ClosableClient } from './closable-client.ts'
import type { ConnectionSettings } from './hosts.ts'
import { NamedStatements, type StatementSettings } from './named-statements.ts'
import { requirePrimary } from './primary.ts'
import type { ConnectionState, SilenceWatch } from './silence-watch.ts'
import { isOpeningTimedOut } from './unavailable.ts'

/** How much the latest answer counts in the expected time of the next. */
const WEIGHT = 1 / 8
/** A longer answer counts as this long: a statement that waited for a lock says little about the next. */
const SLOWEST_MS = 100

export interface PipelineSettings extends StatementSettings {
  readonly connection: ConnectionSettings
  /** To open a connection, and again to look at it. */
  readonly connectMs: number
  readonly onIdleError: (error: Error) => void
  readonly watch: SilenceWatch
  /** PostgreSQL ends every statement before this. */
  readonly giveUpMs: number
}

/**
 * One connection that takes statements without waiting for the answers to those before. Each statement is
 * a transaction of its own: if it fails, the others on the connection do not notice.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export class Pipeline {
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

  /** Sends what one turn of the event loop writes in one piece: a quarter less CPU for a small read. */
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
