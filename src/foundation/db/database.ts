import type { Kysely } from 'kysely'
import pg from 'pg'
import { ConnectionPool } from './connection-pool.ts'
import type { ConnectionSettings } from './hosts.ts'
import { Lanes } from './lanes.ts'
import type { DiskState, StatementObserver } from './named-statements.ts'
import { Pipelines } from './pipelines.ts'
import type { DB } from './schema.generated.ts'
import { type SilencePace, SilenceWatch } from './silence-watch.ts'
import {
  giveUpAfter,
  type Lane,
  type LaneTimeOuts,
  LINES,
  laneSizes,
  TIME_OUTS,
  writersOfSchool,
} from './time-outs.ts'

/**
 * The whole database. Functions that take it cross schools; all others take a SchoolDb or SchoolTx.
 */
export type Db = Kysely<DB>

export interface DatabaseSettings {
  readonly connection: ConnectionSettings
  /** See `laneSizes`. Up to half as many further connections are shared by all requests. */
  readonly poolSize: number
  /** For each class of work, or the same for all. */
  readonly statementTimeoutMs: number | LaneTimeOuts
  /** To open a connection. */
  readonly connectMs?: number | undefined
  /** To wait for a connection that is free. */
  readonly waitMs?: LaneTimeOuts
  readonly silence?: Partial<SilencePace> | undefined
  readonly observe?: StatementObserver | undefined
  readonly onIdleError?: (error: Error) => void
}

export interface Database {
  /** For work of the installation: interactive, and of no school. */
  readonly db: Db
  /** The connections behind `db`. */
  readonly pool: ConnectionPool
  readonly pools: Readonly<Record<Lane, ConnectionPool>>
  readonly pipelines: Pipelines
  /** Every connection to the database belongs here. */
  readonly watch: SilenceWatch
  readonly disk: DiskState
  close(): Promise<void>
}

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary') {
      if (oid === pg.types.builtins.INT8) return safeInteger
      if (oid === pg.types.builtins.DATE) return asText
      if (oid === pg.types.builtins.TIMESTAMPTZ) return parseTime
    }
    return pg.types.getTypeParser(oid, format as 'text')
  },
} as pg.CustomTypesConfig

const asText = (value: string): string => value

const parseAnyTime = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ)

/**
 * Every session is in UTC, and JavaScript reads such a time in half the time that the parser for
 * all zones and eras takes.
 */
export function parseTime(text: string): Date {
  const isOrdinary = text.endsWith('+00') && text[4] === '-'
  return isOrdinary ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : parseAnyTime(text)
}

/** Money and counts are bigint in SQL; beyond 2^53 a wrong amount is worse than an error. */
function safeInteger(value: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new RangeError(`bigint out of range: ${value}`)
  return number
}

export function openDatabase(settings: DatabaseSettings): Database {
  const { observe, poolSize, statementTimeoutMs: given } = settings
  const { connectMs = TIME_OUTS.connect, waitMs = TIME_OUTS.wait } = settings
  const timeOuts =
    typeof given === 'number' ? { stranger: given, interactive: given, batch: given } : given
  const onIdleError = (error: Error) => settings.onIdleError?.(error)
  const connectionOf = (name: string, lane: Lane, further: Settings = {}): ConnectionSettings => ({
    ...settings.connection,
    types,
    application_name: name,
    options: optionsOf({
      // An installation may have another default; our single statements rely on this one.
      default_transaction_isolation: 'read\\ committed',
      statement_timeout: timeOuts[lane],
      idle_in_transaction_session_timeout: TIME_OUTS.idleTransaction,
      TimeZone: 'UTC',
      ...further,
    }),
  })
  const watch = new SilenceWatch({
    connection: connectionOf('schoolgate probe', 'interactive'),
    answerMs: connectMs,
    pace: settings.silence,
    onAway: onIdleError,
  })
  const sizes = laneSizes(poolSize)
  const disk = { isFull: false }
  const poolOf = (name: string, lane: Lane, cancel?: (name: string) => Promise<unknown>) =>
    new ConnectionPool({
      connection: connectionOf(name, lane),
      connectMs,
      disk,
      watch,
      giveUpMs: giveUpAfter(timeOuts[lane]),
      size: sizes[lane],
      waiting: LINES[lane],
      waitMs: waitMs[lane],
      observe,
      onIdleError,
      cancel,
    })
  const pool = poolOf('schoolgate', 'interactive')
  const pools = {
    stranger: poolOf('schoolgate stranger', 'stranger'),
    interactive: pool,
    batch: poolOf('schoolgate batch', 'batch', (name) => pool.query(CANCEL, [name])),
  }
  const pipelines = new Pipelines({
    connection: connectionOf('schoolgate pipeline', 'interactive', {
      lock_timeout: TIME_OUTS.sharedLock,
    }),
    connectMs,
    disk,
    observe,
    onIdleError,
    maxConnections: Math.ceil(poolSize / 2),
    runAlone: (text, values, tenant) => pool.query(text, values, tenant),
    maxAlone: Math.ceil(sizes.interactive / 2),
    waitMs: waitMs.interactive,
    watch,
    giveUpMs: giveUpAfter(timeOuts.interactive),
  })
  const { db } = new Lanes(pools, pipelines, {
    running: writersOfSchool(sizes),
    waiting: LINES.interactive,
    waitMs: waitMs.interactive,
  })
  return {
    db,
    pool,
    pools,
    pipelines,
    watch,
    disk,
    async close() {
      await pipelines.end()
      await Promise.all(Object.values(pools).map((one) => one.end()))
      await watch.end()
    },
  }
}

/**
 * By its name and not by its process: behind a pooler, the process may run something else by now.
 */
const CANCEL = `
  select pg_cancel_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = $1 and state = 'active'`

type Settings = Readonly<Record<string, string | number>>

function optionsOf(settings: Settings): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}
