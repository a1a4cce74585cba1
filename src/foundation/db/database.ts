import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { namingClient, type StatementObserver } from './naming-client.ts'
import { Pipelines } from './pipelines.ts'
import { connectPrepared } from './prepared.ts'
import type { DB } from './schema.generated.ts'

/** The whole database. Functions that take it cross schools; the others take a SchoolDb or SchoolTx. */
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
  readonly pool: pg.Pool
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

/** How long a statement may wait for a lock where others wait behind it. */
const SHARED_LOCK_TIMEOUT_MS = 100

export function openDatabase(settings: DatabaseSettings): Database {
  const Client = namingClient(settings.observe)
  const connection = {
    ...settings.connection,
    types,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // A firewall forgets who says nothing; the default of the system is two hours.
    keepAliveInitialDelayMillis: 30_000,
    application_name: 'schoolgate',
    options: optionsOf({
      // An installation may default to another one; our single statements rely on this.
      default_transaction_isolation: 'read\\ committed',
      statement_timeout: settings.statementTimeoutMs,
      idle_in_transaction_session_timeout: 60_000,
      TimeZone: 'UTC',
    }),
  } as pg.ClientConfig
  const pool = new pg.Pool({
    ...connection,
    Client,
    max: settings.poolSize,
    // They stay open: a timer for every statement, to close what the next one opens again, pays nothing.
    idleTimeoutMillis: 0,
  } as pg.PoolConfig)
  const onIdleError = (error: Error) => settings.onIdleError?.(error)
  pool.on('error', onIdleError)
  // A connection that dies while a statement runs on it also emits this, and the pool listens to
  // idle ones alone: unheard, a failover would end the process. The statement itself is told too.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  const shared = {
    ...connection,
    pipeline: true,
    options: `${connection.options} ${optionsOf({ lock_timeout: SHARED_LOCK_TIMEOUT_MS })}`,
  }
  const half = Math.ceil(settings.poolSize / 2)
  const pipelines = new Pipelines({
    open: () => new Client(shared),
    most: half,
    runAlone: (text, values) => pool.query(text, values as unknown[]),
    mostAlone: half,
    giveUpMs: settings.statementTimeoutMs + 5_000,
    onIdleError,
  })
  connectPrepared(db, pipelines)
  return { db, pool, pipelines, close: () => close(db, pool, pipelines) }
}

function optionsOf(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

/** Kysely ends only a pool that it used itself, which a server that never got a request did not. */
async function close(db: Db, pool: pg.Pool, pipelines: Pipelines): Promise<void> {
  await pipelines.end()
  await db.destroy()
  if (!pool.ended) await pool.end()
}
