import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import { ConnectionPool } from './connection-pool.ts'
import type { StatementObserver } from './named-statements.ts'
import { Pipelines } from './pipelines.ts'
import { connectPrepared } from './prepared.ts'
import type { DB } from './schema.generated.ts'

/** The whole database. Functions that take it cross schools; all others take a SchoolDb or SchoolTx. */
export type Db = Kysely<DB>

export interface DatabaseSettings {
  readonly connection: pg.ClientConfig
  readonly poolSize: number
  readonly statementTimeoutMs: number
  readonly observe?: StatementObserver
  readonly onIdleError?: (error: Error) => void
}

export interface Database {
  readonly db: Db
  readonly pool: ConnectionPool
  readonly pipelines: Pipelines
  close(): Promise<void>
}

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary') {
      if (oid === pg.types.builtins.INT8) return safeInteger
      if (oid === pg.types.builtins.DATE) return asText
    }
    return pg.types.getTypeParser(oid, format as 'text')
  },
} as pg.CustomTypesConfig

const asText = (value: string): string => value

/** Money and counts are bigint in SQL; beyond 2^53 a wrong amount is worse than an error. */
function safeInteger(value: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new RangeError(`bigint out of range: ${value}`)
  return number
}

/** How long a statement may wait for a lock while other statements wait behind it. */
const SHARED_LOCK_TIMEOUT_MS = 100

/**
 * A connection that is silent for this long beyond any server-side limit is dead. PostgreSQL must always
 * give up first: to close a shared connection fails the statements of all requests on it.
 */
const SILENCE_MS = 5_000

export function openDatabase(settings: DatabaseSettings): Database {
  const { observe, poolSize, statementTimeoutMs } = settings
  const giveUpMs = Math.max(statementTimeoutMs, SHARED_LOCK_TIMEOUT_MS) + SILENCE_MS
  const onIdleError = (error: Error) => settings.onIdleError?.(error)
  const connection = {
    ...settings.connection,
    types,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // A firewall forgets idle connections; the default of the system is two hours.
    keepAliveInitialDelayMillis: 30_000,
    application_name: 'schoolgate',
    options: optionsOf({
      // An installation may have another default; our single statements rely on this one.
      default_transaction_isolation: 'read\\ committed',
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: 60_000,
      TimeZone: 'UTC',
    }),
  }
  const pool = new ConnectionPool({
    connection: {
      ...connection,
      query_timeout: giveUpMs,
      max: poolSize,
      // Connections stay open: the next statement would open another one.
      idleTimeoutMillis: 0,
    },
    observe,
    onIdleError,
  })
  const half = Math.ceil(poolSize / 2)
  const pipelines = new Pipelines({
    connection: {
      ...connection,
      application_name: 'schoolgate pipeline',
      options: `${connection.options} ${optionsOf({ lock_timeout: SHARED_LOCK_TIMEOUT_MS })}`,
    },
    observe,
    onIdleError,
    maxConnections: half,
    runAlone: (text, values) => pool.query(text, values),
    maxAlone: half,
    giveUpMs,
  })
  // Kysely's interface also has cursors, which it uses only if the dialect is given a cursor class.
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }),
  })
  connectPrepared(db, pipelines)
  return {
    db,
    pool,
    pipelines,
    async close() {
      await pipelines.end()
      await db.destroy()
      await pool.end()
    },
  }
}

function optionsOf(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}
