import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { ClosableClient } from './closable-client.ts'
import type { ConnectionSettings } from './hosts.ts'
import { requirePrimary } from './primary.ts'
import type { SilenceWatch } from './silence-watch.ts'
import { TIME_OUTS } from './time-outs.ts'

export interface ListenerPace {
  /** To open the connection, and again to look at it; as for any connection unless it is given. */
  readonly connectMs?: number
  /** How often the connection is checked. */
  readonly heartbeatMs: number
  /** How long the connection may take to answer. */
  readonly answerMs: number
  readonly firstRetryMs: number
  readonly longestRetryMs: number
}

const PACE: ListenerPace = {
  heartbeatMs: 10_000,
  answerMs: 10_000,
  firstRetryMs: 200,
  longestRetryMs: 5_000,
}

export interface ChangeHandlers {
  /** A row was changed; the payload says which. */
  onChange(channel: string, payload: string): void
  /** Notices may have been missed, so everything cached must be forgotten. */
  onGap(): void
  onError(error: Error): void
  /** A notice sent just now has arrived, so no notice was missed since the last gap. */
  onProof?(): void
  /**
   * Sends a notice over another connection, as the real ones are sent: a pooler may deliver notices
   * that a connection sends to itself, and drop those that arrive while the connection is idle.
   */
  echo?(channel: string): Promise<unknown>
}

/**
 * Listens for NOTIFY on a connection of its own. PostgreSQL keeps no notices for a listener that is
 * away, so every reconnection counts as a gap, and a heartbeat finds dead connections. With each
 * heartbeat an echo proves that notices arrive.
 */
export class ChangeListener {
  readonly #connection: ConnectionSettings
  readonly #channels: readonly string[]
  readonly #handlers: ChangeHandlers
  readonly #pace: ListenerPace
  readonly #watch: SilenceWatch | undefined
  /** The channel of this listener's own echoes. */
  readonly #echoes = `echo_${randomBytes(8).toString('hex')}`
  #client: ClosableClient | undefined
  #timer: NodeJS.Timeout | undefined
  #retryMs: number
  #stopped = false

  constructor(
    connection: ConnectionSettings,
    channels: readonly string[],
    handlers: ChangeHandlers,
    pace: ListenerPace = PACE,
    watch?: SilenceWatch,
  ) {
    this.#connection = connection
    this.#channels = channels
    this.#handlers = handlers
    this.#pace = pace
    this.#watch = watch
    this.#retryMs = pace.firstRetryMs
  }

  async start(): Promise<void> {
    const { connectMs = TIME_OUTS.connect, answerMs } = this.#pace
    const client = new ClosableClient({
      ...this.#connection,
      application_name: 'schoolgate listen',
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
    })
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === this.#echoes) this.#handlers.onProof?.()
      else this.#handlers.onChange(channel, payload)
    })
    client.on('error', (error) => this.#lost(client, error))
    client.on('end', () => this.#lost(client, new Error('the listening connection ended')))
    this.#client = client
    try {
      await client.connect()
      await requirePrimary(client, connectMs)
      // Without statements it is idle; its heartbeat has a time-out of its own.
      this.#watch?.add(client, () => 'idle', Number.POSITIVE_INFINITY)
      for (const channel of [...this.#channels, this.#echoes]) {
        await client.query(`listen ${pg.escapeIdentifier(channel)}`)
      }
    } catch (error) {
      this.#connection.hosts?.failed(client.address)
      this.#lost(client, error as Error)
      return
    }
    this.#retryMs = this.#pace.firstRetryMs
    this.#handlers.onGap()
    this.#askForEcho()
    this.#beat(client)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    const client = this.#client
    this.#client = undefined
    await client?.close()
  }

  #beat(client: ClosableClient): void {
    this.#timer = setTimeout(() => {
      client.query('select 1').then(
        () => {
          if (this.#client !== client) return
          this.#askForEcho()
          this.#beat(client)
        },
        (error) => this.#lost(client, error),
      )
    }, this.#pace.heartbeatMs)
    this.#timer.unref()
  }

  /** An echo that cannot be sent proves nothing, which is what a missing one means. */
  #askForEcho(): void {
    this.#handlers.echo?.(this.#echoes).catch(() => undefined)
  }

  #lost(client: ClosableClient, error: Error): void {
    if (this.#stopped || this.#client !== client) return
    this.#client = undefined
    clearTimeout(this.#timer)
    this.#handlers.onError(error)
    void client.close()
    this.#timer = setTimeout(() => void this.start(), this.#retryMs)
    this.#timer.unref()
    this.#retryMs = Math.min(this.#retryMs * 2, this.#pace.longestRetryMs)
  }
}
