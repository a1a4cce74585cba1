import pg from 'pg'

const HEARTBEAT_MS = 10_000
const FIRST_RETRY_MS = 200
const LONGEST_RETRY_MS = 5_000

export interface ChangeHandlers {
  /** Somebody changed something; the payload says what. */
  onChange(channel: string, payload: string): void
  /** Notices may have been missed: whatever was cached must be forgotten. */
  onGap(): void
  onError(error: Error): void
}

/**
 * Hears NOTIFY on a connection of its own. PostgreSQL keeps no notices for a listener that is away,
 * so every reconnection counts as a gap, and a heartbeat finds connections that died silently.
 */
export class ChangeListener {
  readonly #connection: pg.ClientConfig
  readonly #channels: readonly string[]
  readonly #handlers: ChangeHandlers
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #retryMs = FIRST_RETRY_MS
  #stopped = false

  constructor(connection: pg.ClientConfig, channels: readonly string[], handlers: ChangeHandlers) {
    this.#connection = connection
    this.#channels = channels
    this.#handlers = handlers
  }

  async start(): Promise<void> {
    const client = new pg.Client({
      ...this.#connection,
      application_name: 'schoolgate listen',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: HEARTBEAT_MS,
    })
    client.on('notification', (notice) =>
      this.#handlers.onChange(notice.channel, notice.payload ?? ''),
    )
    client.on('error', (error) => this.#lost(client, error))
    client.on('end', () => this.#lost(client, new Error('the listening connection ended')))
    this.#client = client
    try {
      await client.connect()
      for (const channel of this.#channels) {
        await client.query(`listen ${pg.escapeIdentifier(channel)}`)
      }
    } catch (error) {
      this.#lost(client, error as Error)
      return
    }
    this.#retryMs = FIRST_RETRY_MS
    this.#handlers.onGap()
    this.#beat(client)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => {})
  }

  #beat(client: pg.Client): void {
    this.#timer = setTimeout(() => {
      client.query('select 1').then(
        () => this.#client === client && this.#beat(client),
        (error) => this.#lost(client, error),
      )
    }, HEARTBEAT_MS)
    this.#timer.unref()
  }

  #lost(client: pg.Client, error: Error): void {
    if (this.#stopped || this.#client !== client) return
    this.#client = undefined
    clearTimeout(this.#timer)
    this.#handlers.onError(error)
    client.end().catch(() => {})
    this.#timer = setTimeout(() => void this.start(), this.#retryMs)
    this.#timer.unref()
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS)
  }
}
