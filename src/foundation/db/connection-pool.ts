import pg from 'pg'
import { abandonedBy, Limiter } from '../concurrency/limiter.ts'
import { countStatement, worksFor } from '../concurrency/usage-meter.ts'
import { ClosableClient } from './closable-client.ts'
import { type ConnectionSettings, onUsableHost } from './hosts.ts'
import { NamedStatements, type StatementSettings } from './named-statements.ts'
import { requirePrimary } from './primary.ts'
import { type ConnectionState, type SilencePace, SilenceWatch } from './silence-watch.ts'
import { TIME_OUTS } from './time-outs.ts'
import {
  isDatabaseUnavailable,
  isOpeningTimedOut,
  refuseBusy,
  toDatabaseError,
} from './unavailable.ts'

export interface PoolSettings extends StatementSettings {
  readonly connection: ConnectionSettings
  /** To open a connection, and again to look at it. */
  readonly connectMs: number
  readonly size: number
  /** Further statements and transactions of one school are refused. */
  readonly waiting: number
  /** How long a statement or transaction waits for a connection. */
  readonly waitMs: number
  readonly onIdleError: (error: Error) => void
  readonly watch: SilenceWatch
  /** PostgreSQL ends every statement before this. */
  readonly giveUpMs: number
  /** Cancels what a connection of this name runs, over another connection. */
  readonly cancel?: ((applicationName: string) => Promise<unknown>) | undefined
}

/**
 * pg's pool, with statements prepared under names and connections replaced once they are spent or
 * lost. Connections are divided fairly between schools (see Limiter).
 */
export class ConnectionPool {
  readonly #pool: pg.Pool
  readonly #places: Limiter
  readonly #watch: SilenceWatch
  readonly #connection: ConnectionSettings
  readonly #connections = new WeakMap<pg.PoolClient, PooledConnection>()
  #ended: Promise<void> | undefined

  constructor(settings: PoolSettings) {
    const { connection, connectMs, size, waiting, waitMs, onIdleError, watch, giveUpMs } = settings
    this.#watch = watch
    this.#connection = connection
    this.#places = new Limiter({ running: size, waiting, waitMs })
    this.#pool = new pg.Pool({
      ...connection,
      Client: ClosableClient,
      connectionTimeoutMillis: connectMs,
      onConnect: (client) => requirePrimary(ours(client), connectMs),
      max: size,
      // Connections stay open: the next statement would open another one.
      idleTimeoutMillis: 0,
    })
    this.#pool.on('error', onIdleError)
    // Here and not after `connect()` returned: an error that arrives before then would have no
    // listener and would end the process.
    this.#pool.on('connect', (client) => {
      const pooled = new PooledConnection(client, settings)
      this.#connections.set(client, pooled)
      watch.add(ours(client), () => pooled.state, giveUpMs)
    })
  }

  get counts(): { readonly total: number; readonly idle: number; readonly waiting: number } {
    const { totalCount: total, idleCount: idle } = this.#pool
    return { total, idle, waiting: this.#places.waiting }
  }

  /** How many statements and transactions of a school wait for a connection. */
  waitingOf(tenant: string): number {
    return this.#places.waitingOf(tenant)
  }

  /**
   * `tenant` is the school, or empty for work of the installation. What runs is cancelled once the
   * signal is aborted.
   */
  async connect(tenant = '', signal?: AbortSignal): Promise<PooledConnection> {
    const turn = this.#places.enter(tenant, signal)
    if (turn !== undefined) await turn.catch(refuseBusy)
    const begunAt = performance.now()
    try {
      this.#watch.refuseIfAway()
      const client = await onUsableHost(this.#connection, () => this.#pool.connect())
      const connection = this.#connections.get(client)
      if (connection === undefined) throw new Error('pg has not announced this connection')
      connection.lend(tenant, () => this.#places.leave(tenant), signal)
      return connection
    } catch (error) {
      this.#places.leave(tenant)
      if (isOpeningTimedOut(error)) await this.#watch.couldNotOpen(begunAt)
      throw toDatabaseError(error)
    }
  }

  async query<R>(
    text: string,
    values: readonly unknown[] = [],
    tenant = '',
  ): Promise<pg.QueryResult<R & pg.QueryResultRow>> {
    const connection = await this.connect(tenant)
    try {
      return await connection.query<R>(text, values)
    } finally {
      connection.release()
    }
  }

  /** May be called again: Kysely ends only a pool that it has used. */
  end(): Promise<void> {
    this.#ended ??= this.#pool.end()
    return this.#ended
  }
}

/** The pool makes its clients from the class that it was given. */
function ours(client: pg.ClientBase): ClosableClient {
  if (client instanceof ClosableClient) return client
  throw new Error('pg made a client of another class')
}

export class PooledConnection {
  readonly #client: pg.PoolClient
  readonly #statements: NamedStatements
  readonly #cancel: (() => Promise<unknown>) | undefined
  #isRunning = false
  #lost: unknown
  #giveBack: (() => void) | undefined
  #signal: AbortSignal | undefined
  #tenant = ''
  #cancelling: Promise<unknown> | undefined

  constructor(client: pg.PoolClient, settings: PoolSettings) {
    const { cancel } = settings
    this.#client = client
    this.#statements = new NamedStatements(client, settings)
    if (cancel !== undefined) this.#cancel = () => cancel(ours(client).applicationName)
    // The pool listens only while the connection is idle. pg also rejects the statement that runs.
    client.on('error', (error) => {
      this.#lost ??= toDatabaseError(error)
    })
  }

  get state(): ConnectionState {
    if (this.#giveBack === undefined) return 'idle'
    return this.#isRunning ? 'waiting' : 'held'
  }

  /** Until `release`. */
  lend(tenant: string, giveBack: () => void, signal: AbortSignal | undefined): void {
    this.#tenant = tenant
    this.#giveBack = giveBack
    this.#signal = signal
  }

  async query<R>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<pg.QueryResult<R & pg.QueryResultRow>> {
    // A rollback would wait for a silent connection until it, too, is given up.
    if (this.#lost !== undefined) throw this.#lost
    this.#isRunning = true
    countStatement(this.#tenant)
    try {
      return this.#signal === undefined
        ? await this.#statements.run<R>(text, values)
        : await this.#runFor<R>(this.#signal, text, values)
    } catch (error) {
      if (isDatabaseUnavailable(error) && error.isConnectionLost) this.#lost = error
      throw error
    } finally {
      this.#isRunning = false
      worksFor(this.#tenant)
    }
  }

  release(): void {
    const giveBack = this.#giveBack
    this.#giveBack = undefined
    this.#signal = undefined
    const release = (): void => {
      this.#client.release(this.#lost !== undefined || this.#statements.isSpent)
      giveBack?.()
    }
    // A late cancellation must not hit the next statement on this connection.
    if (this.#cancelling === undefined) release()
    else void this.#cancelling.finally(release)
    this.#cancelling = undefined
  }

  /** A rollback still runs after the caller is gone. */
  async #runFor<R>(signal: AbortSignal, text: string, values: readonly unknown[]) {
    if (this.#cancelling !== undefined) await this.#cancelling
    if (signal.aborted && text !== 'rollback') throw abandonedBy(signal)
    const cancel = (): void => {
      this.#cancelling ??= this.#cancel?.().catch(() => undefined)
    }
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await this.#statements.run<R>(text, values)
    } catch (error) {
      throw signal.aborted ? abandonedBy(signal) : error
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

export interface SilencePatience {
  /** How long PostgreSQL may take to answer over a new connection. */
  readonly answerMs?: number
  readonly pace?: Partial<SilencePace>
}

/**
 * Runs `work` on a connection outside the pool, with settings of its own. Its statements may take
 * hours; a PostgreSQL that fell silent ends them.
 */
export async function withOwnConnection<R>(
  settings: ConnectionSettings,
  work: (client: ClosableClient) => Promise<R>,
  { answerMs = TIME_OUTS.connectAlone, pace }: SilencePatience = {},
): Promise<R> {
  const client = await onUsableHost(
    settings,
    () => open(settings),
    () => true,
  )
  let lost: Error | undefined
  client.on('error', (error) => {
    lost ??= error
  })
  // `lost` tells the caller.
  const watch = new SilenceWatch({
    connection: settings,
    answerMs,
    pace: { doubtMs: TIME_OUTS.doubtAlone, ...pace },
    onAway: () => undefined,
  })
  watch.add(client, stateOf(client), Number.POSITIVE_INFINITY)
  try {
    return await work(client)
  } catch (error) {
    // `work` can fail by itself, for instance on a full disk: that is not about the database.
    if (lost === undefined && !(error instanceof pg.DatabaseError)) throw error
    throw toDatabaseError(lost ?? error)
  } finally {
    await watch.end()
  }
}

/** pg tells when every statement is answered; what is sent after that is the next one. */
function stateOf(client: ClosableClient): () => ConnectionState {
  let answered = client.socket.bytesWritten
  client.on('drain', () => {
    answered = client.socket.bytesWritten
  })
  return () => (client.socket.bytesWritten === answered ? 'held' : 'waiting')
}

async function open(settings: ConnectionSettings): Promise<ClosableClient> {
  const client = new ClosableClient({
    ...settings,
    connectionTimeoutMillis: TIME_OUTS.connectAlone,
  })
  // Without a listener a lost connection would end the process. pg also rejects the statement that
  // runs.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await requirePrimary(client, TIME_OUTS.connectAlone)
    return client
  } catch (error) {
    await client.close()
    throw toDatabaseError(error)
  }
}
