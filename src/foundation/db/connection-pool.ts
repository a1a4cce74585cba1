import pg from 'pg'
import { NamedStatements, type StatementSettings } from './named-statements.ts'
import { isDatabaseUnavailable, toDatabaseError } from './unavailable.ts'

export interface PoolSettings extends StatementSettings {
  readonly connection: pg.PoolConfig
  readonly onIdleError: (error: Error) => void
}

/** pg's pool, with statements prepared under names and connections replaced once they are spent or lost. */
export class ConnectionPool {
  readonly #pool: pg.Pool
  readonly #connections = new WeakMap<pg.PoolClient, PooledConnection>()
  #ended: Promise<void> | undefined

  constructor({ connection, onIdleError, ...statements }: PoolSettings) {
    this.#pool = new pg.Pool(connection)
    this.#pool.on('error', onIdleError)
    // Here and not after `connect()` returned: an error that arrives before then would have no listener
    // and would end the process.
    this.#pool.on('connect', (client) =>
      this.#connections.set(client, new PooledConnection(client, statements)),
    )
  }

  get counts(): { readonly total: number; readonly idle: number; readonly waiting: number } {
    const { totalCount: total, idleCount: idle, waitingCount: waiting } = this.#pool
    return { total, idle, waiting }
  }

  async connect(): Promise<PooledConnection> {
    try {
      const client = await this.#pool.connect()
      const connection = this.#connections.get(client)
      if (connection === undefined) throw new Error('pg has not announced this connection')
      return connection
    } catch (error) {
      throw toDatabaseError(error)
    }
  }

  async query<R>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<pg.QueryResult<R & pg.QueryResultRow>> {
    const connection = await this.connect()
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

export class PooledConnection {
  readonly #client: pg.PoolClient
  readonly #statements: NamedStatements
  #lost: unknown

  constructor(client: pg.PoolClient, settings: StatementSettings) {
    this.#client = client
    this.#statements = new NamedStatements(client, settings)
    // The pool listens only while the connection is idle. pg also rejects the statement that runs.
    client.on('error', (error) => {
      this.#lost ??= toDatabaseError(error)
    })
  }

  async query<R>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<pg.QueryResult<R & pg.QueryResultRow>> {
    // A rollback would wait for a silent connection until it, too, is given up.
    if (this.#lost !== undefined) throw this.#lost
    try {
      return await this.#statements.run<R>(text, values)
    } catch (error) {
      if (isDatabaseUnavailable(error) && error.isConnectionLost) this.#lost = error
      throw error
    }
  }

  release(): void {
    this.#client.release(this.#lost !== undefined || this.#statements.isSpent)
  }
}
