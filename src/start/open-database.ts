import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { connectionOf, placeOf } from '../foundation/db/database-url.ts'
import {
  EmbeddedPostgresError,
  type ExitReport,
  findRunningEmbedded,
} from '../foundation/db/embedded/embedded-postgres.ts'
import type { ConnectionSettings } from '../foundation/db/hosts.ts'
import { keepEmbeddedPostgres } from './keep-embedded.ts'
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
    const postgres = await keepEmbeddedPostgres(config.SCHOOLGATE_DATA_DIR, log)
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

/** The same database for a worker, whose parent keeps it running. */
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
