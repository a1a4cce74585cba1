import { createHash } from 'node:crypto'
import { chooseAccount } from './account.ts'
import { loadPostgresPackage, prepareBinaries } from './binaries.ts'
import type { Plan } from './bring-up.ts'
import { clusterFolder, initialise, isInitialised, resetPassword } from './cluster.ts'
import { databaseGone } from './embedded-postgres-error.ts'
import { loadHome, openDataFolder, settleHome } from './home.ts'
import { logFileOf } from './log-file.ts'
import { memorySettings } from './memory-settings.ts'
import { loadPassword } from './password.ts'
import { findPostmaster } from './postmaster-file.ts'
import { PORT } from './socket-folder.ts'

export interface EmbeddedPostgresOptions {
  dataDir: string
  /** False is faster and may lose data on power loss: for tests. Default true. */
  durable?: boolean
  /** Only start a database that exists: one that is missing was there a moment ago. */
  mustExist?: boolean
  /** Further PostgreSQL settings, such as `max_connections`. */
  settings?: Record<string, string>
}

/** Makes everything that PostgreSQL needs before it can start. */
export async function prepare(options: EmbeddedPostgresOptions): Promise<Plan> {
  const durable = options.durable ?? true
  const source = await loadPostgresPackage()
  const dataDir = await openDataFolder(options.dataDir, options.mustExist)
  const firstHome = await loadHome(dataDir)
  const account = await chooseAccount(clusterFolder(firstHome, source.major))
  const initialised = await isInitialised(firstHome, source.major)
  if (options.mustExist && !initialised) throw databaseGone(clusterFolder(firstHome, source.major))
  const home = await settleHome(dataDir, firstHome, account, initialised)
  const clusterDir = clusterFolder(home, source.major)
  const binaries = await prepareBinaries(source, home, account)
  const { password, isNew } = await loadPassword(dataDir)
  if (!initialised) {
    await initialise({ home, major: source.major, binaries, account, password, durable })
  } else if (isNew && (await findPostmaster(clusterDir)) === undefined) {
    await resetPassword(binaries, account, clusterDir, password)
  }
  const settings = postgresSettings(durable, options.settings ?? {})
  const folderName = `schoolgate-${digest(clusterDir)}`
  return {
    home,
    clusterDir,
    binaries,
    version: source.version,
    account,
    password,
    logFile: logFileOf(home),
    settings,
    folderName,
    clusterName: `${folderName}-${digest(JSON.stringify([source.version, settings]))}`,
  }
}

/** Our own settings come last, so that no caller opens a network port by accident. */
function postgresSettings(durable: boolean, extra: Record<string, string>): Record<string, string> {
  return {
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...memorySettings(),
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...extra,
    listen_addresses: '',
    port: String(PORT),
    unix_socket_permissions: '0700',
    password_encryption: 'scram-sha-256',
    // A failed start is explained from the log, so PostgreSQL must write to the file that we opened.
    log_destination: 'stderr',
    logging_collector: 'off',
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
