import { setTimeout } from 'node:timers/promises'
import { LimiterFull } from '../concurrency/limiter.ts'

/** SQLSTATEs and socket errors that mean: the database is away, busy or changing hands. */
const UNAVAILABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT', // the socket file of a PostgreSQL that does not run
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout: this process stood still, as in a paused machine
  '25P04', // transaction_timeout
  '57014', // query_canceled: the statement timeout
  '3D000', // invalid_catalog_name: a standby that is still being made
  '55P03', // lock_not_available
  '25006', // read_only_sql_transaction: a former primary after a failover
  '40001', // serialization_failure
  '40P01', // deadlock_detected
])

/** disk_full. */
export const DISK_FULL = '53100'
/** insufficient_resources: here, that too much work waits. */
export const BUSY = '53000'
/** query_canceled: the statement took longer than its class may. */
export const TOOK_TOO_LONG = '57014'

/** Connection exceptions, insufficient resources, system errors. */
const UNAVAILABLE_CLASS = /^(08|53|58)[0-9A-Z]{3}$/

const LOST = new Set([
  'ECONNRESET',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  '25P04',
  'ECONNREFUSED',
  'ENOENT',
  '25006',
])

/** pg reports a lost connection, and one that it could not open, as plain errors without a code. */
const LOST_TEXT =
  /^(Connection terminated(?! due to connection timeout)|Client has encountered a connection error)/
const OPENING_TIMED_OUT_TEXT =
  /^(Connection terminated due to connection timeout|timeout exceeded when trying to connect|timeout expired)/
const CLOSED_TEXT = /^Client was closed/

/**
 * The database is away, busy or changing hands: the answer is 503 with Retry-After, never a verdict
 * on a credential. Only the database layer throws it, because a code alone does not tell: S3 fails
 * with ECONNRESET and the file store with ENOENT, too.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError'
  /** The SQLSTATE or socket error, if there is one. */
  readonly code: string
  readonly isConnectionLost: boolean

  constructor(message: string, code: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
    this.isConnectionLost = LOST.has(code) || code.startsWith('08') || LOST_TEXT.test(message)
  }
}

/**
 * An error of pg as the database layer throws it: the same error unless the database is
 * unavailable.
 */
export function toDatabaseError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailableError) return error
  const { message } = error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const isUnavailable =
    UNAVAILABLE.has(code) ||
    UNAVAILABLE_CLASS.test(code) ||
    LOST_TEXT.test(message) ||
    OPENING_TIMED_OUT_TEXT.test(message) ||
    CLOSED_TEXT.test(message)
  return isUnavailable ? new DatabaseUnavailableError(message, code, error) : error
}

export function isDatabaseUnavailable(error: unknown): error is DatabaseUnavailableError {
  return error instanceof DatabaseUnavailableError
}

/** PostgreSQL did not answer while a connection was opened. */
export function isOpeningTimedOut(error: unknown): boolean {
  return error instanceof Error && OPENING_TIMED_OUT_TEXT.test(error.message)
}

/**
 * The database is not away, but too much work of one school waits for it: "try again" for this
 * school alone.
 */
export function refuseBusy(error: unknown): never {
  if (!(error instanceof LimiterFull)) throw error
  throw new DatabaseUnavailableError('Too much work of this school waits; try again later', BUSY)
}

/** At once, since mostly one connection died; then after a moment, since a restart takes one. */
const PAUSES_MS = [0, 250]

/**
 * Runs `work` again if its connection was lost, as in a failover. Only for what may run more than
 * once: reads, and writes that recognise or do not mind their own earlier try.
 */
export async function retryLostConnection<R>(work: () => Promise<R>): Promise<R> {
  for (const pause of PAUSES_MS) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseUnavailable(error) || !error.isConnectionLost) throw error
      await setTimeout(pause)
    }
  }
  return await work()
}

const COLLISION_TRIES = 5

/** Deadlock or serialization failure: two transactions locked the same rows in different orders. */
export function isCollision(error: unknown): boolean {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return code === '40P01' || code === '40001'
}

/**
 * Runs a whole transaction again that PostgreSQL rolled back for another one. `work` must change
 * nothing besides.
 */
export async function retryCollision<R>(work: () => Promise<R>): Promise<R> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isCollision(error) || tries === COLLISION_TRIES) throw error
    }
  }
}
