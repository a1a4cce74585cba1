import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { connectionOf, placeOf } from '../foundation/db/database-url.ts'
import {
  type EmbeddedPostgres,
  EmbeddedPostgresError,
  type EmbeddedPostgresOptions,
  type ExitReport,
  findRunningEmbedded,
  startEmbeddedPostgres,
} from '../foundation/db/embedded/embedded-postgres.ts'
import type { ConnectionSettings } from '../foundation/db/hosts.ts'
import { embeddedOf } from './embedded-place.ts'
import { StartError } from './start-error.ts'

/** The address of PostgreSQL, and how to release it. */
export interface DatabaseServer {
  readonly connection: ConnectionSettings
  readonly listenConnection: ConnectionSettings
  /** A description for the banner. */
  readonly description: string
  /** Resolves if an embedded PostgreSQL ended and could not be started again. */
  readonly onExit: Promise<ExitReport> | undefined
  stop(): Promise<void>
}

/** The database of DATABASE_URL, or the embedded one, started or adopted. */
export async function openDatabaseServer(config: Config, log: Logger): Promise<DatabaseServer> {
  if (config.DATABASE_URL !== undefined) return external(config, config.DATABASE_URL)
  try {
    const postgres = await keepEmbeddedPostgres(embeddedOf(config), log)
    return {
      connection: { ...postgres.address },
      listenConnection: { ...postgres.address },
      description: `embedded PostgreSQL in ${resolve(config.SCHOOLGATE_DATA_DIR)}`,
      onExit: postgres.onGone,
      stop: () => postgres.stop(),
    }
  } catch (cause) {
    if (!(cause instanceof EmbeddedPostgresError)) throw cause
    throw new StartError(cause.message, cause.remedy, { cause })
  }
}

/** The database for a worker, whose parent keeps it running. */
export async function joinDatabaseServer(config: Config): Promise<DatabaseServer> {
  if (config.DATABASE_URL !== undefined) return external(config, config.DATABASE_URL)
  const running = await findRunningEmbedded(config.SCHOOLGATE_DATA_DIR)
  if (running === undefined) {
    throw new StartError(
      `No embedded PostgreSQL runs in ${resolve(config.SCHOOLGATE_DATA_DIR)}.`,
      'Start the server with `npm start`.',
    )
  }
  const { pid: _pid, ...address } = running
  return {
    connection: address,
    listenConnection: address,
    description: 'embedded PostgreSQL of the parent process',
    onExit: undefined,
    stop: async () => {},
  }
}

function external(config: Config, url: string): DatabaseServer {
  const listenUrl = config.DATABASE_LISTEN_URL
  const connection = connectionOf(url)
  return {
    connection,
    listenConnection: listenUrl === undefined ? connection : connectionOf(listenUrl),
    description: `PostgreSQL at ${placeOf(url)}`,
    onExit: undefined,
    stop: async () => {},
  }
}

const TRIES = 6
const FIRST_PAUSE_MS = 100

export interface KeptPostgres {
  readonly address: EmbeddedPostgres['address']
  /** Resolves if PostgreSQL ended and could not be started again. */
  readonly onGone: Promise<ExitReport>
  stop(): Promise<void>
}

/**
 * Keeps the embedded PostgreSQL running: starts it again if it was killed, ran out of memory or
 * crashed. Until then requests are answered with 503. The address stays the same, so the pools
 * reconnect.
 */
export async function keepEmbeddedPostgres(
  { dataDir, findTrace }: Pick<EmbeddedPostgresOptions, 'dataDir' | 'findTrace'>,
  log: Logger,
): Promise<KeptPostgres> {
  let current = await startEmbeddedPostgres({ dataDir, findTrace })
  const { address } = current
  let isStopping = false

  const onGone = new Promise<ExitReport>((resolve) => {
    const watch = (postgres: EmbeddedPostgres): void => {
      void postgres.onExit.then(async (report) => {
        if (isStopping) return
        if (report.isFolderGone) {
          resolve(report)
          return
        }
        log.error({ report: report.message }, 'the embedded PostgreSQL ended; starting it again')
        const next = await startAgain(dataDir, log)
        if (next === undefined) {
          resolve(report)
        } else if (next instanceof EmbeddedPostgresError) {
          resolve({ ...report, message: next.message })
        } else if (isStopping || next.address.host !== address.host) {
          // The socket has a temporary path, and after a restart it is another one: the pools could
          // not reconnect.
          await next.stop()
          resolve(report)
        } else {
          current = next
          watch(next)
        }
      })
    }
    watch(current)
  })

  return {
    address,
    onGone,
    async stop() {
      isStopping = true
      await current.stop()
    },
  }
}

/**
 * Tries with exponential backoff. Never makes a new database, which would look like lost data.
 */
async function startAgain(
  dataDir: string,
  log: Logger,
): Promise<EmbeddedPostgres | EmbeddedPostgresError | undefined> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    try {
      return await startEmbeddedPostgres({ dataDir, ifMissing: 'refuse' })
    } catch (error) {
      if (error instanceof EmbeddedPostgresError && error.code === 'folder-missing') return error
      log.warn({ err: error }, 'the embedded PostgreSQL does not start yet')
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt))
    }
  }
  return undefined
}
