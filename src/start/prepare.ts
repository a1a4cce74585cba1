import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { createDemoWorldIfEmpty, hasDemoWorld, moveDemoOrigins } from '../demo/demo-world.ts'
import { fillPlatforms } from '../domain/clients/vendor-platforms.ts'
import { renderMissing } from '../domain/content/rendered-texts.ts'
import { renewSetupCode } from '../domain/setup/first-school.ts'
import { findHashingProblem } from '../foundation/crypto/password.ts'
import type { Keyring } from '../foundation/crypto/seal.ts'
import {
  type Database,
  type DatabaseSettings,
  type Db,
  openDatabase,
} from '../foundation/db/database.ts'
import { losesPreparedStatements } from '../foundation/db/database-url.ts'
import type { ConnectionSettings } from '../foundation/db/hosts.ts'
import { type View, viewOf } from '../foundation/db/lanes.ts'
import { migrate } from '../foundation/db/migration/migrate.ts'
import { MigrationError } from '../foundation/db/migration/migrations.ts'
import type { StatementObserver } from '../foundation/db/named-statements.ts'
import { READ_ONLY } from '../foundation/db/primary.ts'
import { ALONE, type LaneTimeOuts, TIME_OUTS } from '../foundation/db/time-outs.ts'
import { isDatabaseUnavailable } from '../foundation/db/unavailable.ts'
import { commandText } from '../foundation/text/command-name.ts'
import { openKeyring } from './installation-secret.ts'
import { type DatabaseServer, joinDatabaseServer, openDatabaseServer } from './open-database.ts'
import { startPurging } from './purge-rows.ts'
import { StartError } from './start-error.ts'

export interface PreparedDatabase {
  readonly server: DatabaseServer
  readonly keyring: Keyring
  readonly isDemo: boolean
  /** For the first-run page, if there is no school. Each start makes a new one. */
  readonly setupCode?: string | undefined
}

/**
 * Texts beyond these are rendered in the background, so that a large installation starts soon after
 * an update.
 */
const RENDERING_STEPS = 5

/**
 * Starts the database, migrates the schema, adds missing platforms, makes the demo world or a setup
 * code and renders texts that an older version wrote: once per start.
 */
export async function openPreparedDatabase(config: Config, log: Logger): Promise<PreparedDatabase> {
  const server = await openDatabaseServer(config, log)
  try {
    if (config.DATABASE_URL !== undefined) await refuseUnfitPooler(server.connection)
    await migrateForStart(server, config, log)
    const prepared = await withPool(config, server, async (db) => {
      const keyring = await openKeyring(config, db)
      await fillPlatforms(db)
      const isDemo = await prepareDemo(db, keyring, config)
      await renderMissing(db, { steps: RENDERING_STEPS })
      return { keyring, isDemo, setupCode: await renewSetupCode(db) }
    })
    return { server, ...prepared }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** For a worker: the parent process has done all of that. */
export async function joinPreparedDatabase(config: Config): Promise<PreparedDatabase> {
  const server = await joinDatabaseServer(config)
  const prepared = await withPool(config, server, async (db) => ({
    // Judged again: the file of the secret may be gone or another one since the parent started.
    keyring: await openKeyring(config, db),
    isDemo: await isDemoWorld(db, config),
  }))
  return { server, ...prepared }
}

interface PoolOptions {
  readonly log?: Logger
  readonly connectMs?: number
  readonly silence?: DatabaseSettings['silence']
  readonly observe?: StatementObserver | undefined
}

export function openPool(
  config: Config,
  server: DatabaseServer,
  { log, connectMs, silence, observe }: PoolOptions = {},
): Database {
  return openDatabase({
    connection: server.connection,
    connectMs,
    silence,
    observe,
    poolSize: config.DATABASE_POOL_SIZE,
    statementTimeoutMs: timeOutsOf(config),
    onIdleError: (error) => log?.warn({ err: error }, 'a database connection was lost'),
  })
}

export function timeOutsOf(config: Config): LaneTimeOuts {
  return {
    stranger: config.DATABASE_STRANGER_TIMEOUT_MS,
    interactive: config.DATABASE_STATEMENT_TIMEOUT_MS,
    batch: config.DATABASE_BATCH_TIMEOUT_MS,
  }
}

/** Of no school, and as long as it takes. */
const MAINTENANCE: View = { lane: 'batch', tenant: '' }

async function withPool<R>(
  config: Config,
  server: DatabaseServer,
  work: (db: Db) => Promise<R>,
): Promise<R> {
  const database = openPool(config, server, ALONE)
  try {
    return await work(viewOf(database.db, MAINTENANCE))
  } finally {
    await database.close()
  }
}

/** Brings the schema up to date, or throws with the reason and what to do. */
async function migrateForStart(server: DatabaseServer, config: Config, log: Logger): Promise<void> {
  try {
    let told = 0
    const applied = await migrate(server.connection, undefined, {
      newer: config.SCHOOLGATE_NEWER_SCHEMA,
      onApplied: ({ name }, ms) => {
        told += 1
        log.info({ migration: name, ms }, 'migration applied')
      },
      onBusy: ({ name }) =>
        log.warn({ migration: name }, 'not started yet: a migration waits for the lock of a table'),
    })
    if (told < applied.length) log.info({ migrations: applied.length }, 'a new schema was made')
  } catch (cause) {
    if (cause instanceof MigrationError) {
      const next = `${commandText('doctor')} shows where things stand.`
      throw new StartError(cause.message, next, { cause })
    }
    const { code, message } = cause as { code?: string; message: string }
    // Before the check for an unavailable database: a running server answers 503 for this, too.
    if (code === '3D000') {
      throw new StartError(
        `PostgreSQL answers, but ${message}.`,
        'Create the database, or correct its name in DATABASE_URL.',
        { cause },
      )
    }
    if (code === READ_ONLY) {
      throw new StartError(
        `${message}.`,
        'Point DATABASE_URL at the primary, or list all hosts: postgres://user:password@host1:5432,host2:5432/database.',
        { cause },
      )
    }
    if (isDatabaseUnavailable(cause)) {
      throw new StartError(
        `The database cannot be reached: ${message || code}.`,
        'Check that PostgreSQL runs and that DATABASE_URL names the right host and port.',
        { cause },
      )
    }
    if (code?.startsWith('28') || code === '42501') {
      throw new StartError(
        `The database refuses us: ${message}.`,
        'Check user and password in DATABASE_URL; the user must own the database.',
        { cause },
      )
    }
    throw cause
  }
}

/**
 * Creates the demo world in an empty database if it is wanted, and moves its origins to the current
 * port.
 */
async function prepareDemo(db: Db, keyring: Keyring, config: Config): Promise<boolean> {
  if (isDemoRefused(config)) return false
  if (config.SCHOOLGATE_DEMO === 'on' || config.DATABASE_URL === undefined) {
    await createDemoWorldIfEmpty(db, { port: config.PORT, keyring })
  }
  await moveDemoOrigins(db, config.PORT)
  return await isDemoWorld(db, config)
}

/**
 * Its passwords are public. Without this refusal, a demo world that `schoolgate demo` made is
 * served as one also where DATABASE_URL is set.
 */
function isDemoRefused(config: Config): boolean {
  return config.NODE_ENV === 'production' || config.SCHOOLGATE_DEMO === 'off'
}

async function isDemoWorld(db: Db, config: Config): Promise<boolean> {
  return !isDemoRefused(config) && (await hasDemoWorld(db, config.PORT))
}

/** Only one process purges; others would find the rows already removed. */
export function purgeInBackground(config: Config, db: Db, log: Logger): { stop(): Promise<void> } {
  return startPurging(viewOf(db, MAINTENANCE), {
    intervalSeconds: config.PURGE_INTERVAL_SECONDS,
    auditRetentionDays: config.AUDIT_RETENTION_DAYS,
    onRound: (report) => log.debug({ removed: report.removed }, 'purged'),
    onError: (error) => log.error({ err: error }, 'purging failed; it is tried again later'),
  })
}

/** Without argon2 the server would start, and no person could sign in. */
export function checkHashing(): void {
  if (findHashingProblem() !== undefined) throw new StartError(NO_ARGON2, INSTALL_ARGON2)
}

export const NO_ARGON2 = 'Passwords cannot be checked: argon2 for this machine is not installed.'
export const INSTALL_ARGON2 =
  'Install without --omit=optional, which leaves it out. To leave out only the embedded PostgreSQL, use --omit=peer.'

export const POOLER_REMEDY =
  'Use PgBouncer 1.21 or newer with max_prepared_statements, or pool_mode=session, or no pooler; docs/guides/pgbouncer.md has the settings.'

/** Refuses a pooler behind which requests would fail at random. */
async function refuseUnfitPooler(connection: ConnectionSettings): Promise<void> {
  if (!(await losesPreparedStatements(connection, TIME_OUTS.connectAlone))) return
  throw new StartError(
    'The pooler in front of PostgreSQL loses prepared statements.',
    POOLER_REMEDY,
  )
}
