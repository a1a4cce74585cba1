import { setTimeout } from 'node:timers/promises'

/** SQLSTATEs and socket errors that mean: the database is away, busy or changing hands. */
const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57014', // query_canceled: the statement timeout
  '3D000', // invalid_catalog_name: a standby that is still being made
  '55P03', // lock_not_available
  '25006', // read_only_sql_transaction: a former primary after a failover
  '40001', // serialization_failure
  '40P01', // deadlock_detected
])

/** Connection exceptions, insufficient resources, system errors. */
const AWAY_CLASS = /^(08|53|58)[0-9A-Z]{3}$/

const LOST = new Set([
  'ECONNRESET',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
  'ECONNREFUSED',
  'ENOENT',
  '25006',
])

/** A transaction met a table that a migration had just altered; tried again, it works. */
const STALE_PLAN = /^cached plan must not change result type/

/** pg reports a connection that vanished, and one it never got, as plain errors without a code. */
const LOST_TEXT = /^(Connection terminated|Client has encountered a connection error)/
const NEVER_GOT = /^(timeout exceeded when trying to connect|timeout expired|Client was closed)/

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}

/** Whether trying again later may help: the answer is 503 with Retry-After, never a verdict. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  return (
    AWAY.has(code) ||
    AWAY_CLASS.test(code) ||
    LOST_TEXT.test(textOf(error)) ||
    NEVER_GOT.test(textOf(error)) ||
    STALE_PLAN.test(textOf(error))
  )
}

function isConnectionLost(error: unknown): boolean {
  return LOST.has(codeOf(error)) || codeOf(error).startsWith('08') || LOST_TEXT.test(textOf(error))
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
      if (!isConnectionLost(error)) throw error
      await setTimeout(pause)
    }
  }
  return await work()
}
