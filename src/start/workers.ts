import cluster, { type Worker } from 'node:cluster'
import type { Writable } from 'node:stream'
import type { Logger } from 'pino'
import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Config } from '../config.ts'
import { openDatabase } from '../foundation/db/database.ts'
import { listenForMetrics, type MetricsListener } from '../foundation/http/metrics.ts'
import { countFiguresInBackground } from './background-jobs.ts'
import { backUpInBackground, backupPlanOf } from './backup/scheduled-backups.ts'
import { openPreparedDatabase, purgeInBackground, timeOutsOf } from './prepare.ts'
import { announceStart } from './readiness.ts'
import { buildIndexesInBackground } from './work-metrics.ts'

/** A pause before a restart: a worker that always fails at once must not keep a core busy. */
const REBIRTH_MS = 1000

/** Runs the database and n workers that share the port; stops them together. */
export async function runWorkers(
  config: Config,
  log: Logger,
  io: { stdout: Writable },
): Promise<void> {
  const { server, isDemo, setupCode } = await openPreparedDatabase(config, log)
  const database = openDatabase({
    connection: server.connection,
    poolSize: 2,
    statementTimeoutMs: timeOutsOf(config),
  })
  const indexes = buildIndexesInBackground(server, database, log)
  const purging = purgeInBackground(config, database.db, log)
  const figures = countFiguresInBackground(database.db, log)
  const backups = backUpInBackground(backupPlanOf(config), {
    db: database.db,
    connection: server.listenConnection,
    log,
  })
  let ending = false
  const fork = (): Worker => cluster.fork()
  cluster.on('exit', (worker, code, signal) => {
    if (ending) return
    log.error({ worker: worker.process.pid, code, signal }, 'a worker ended; starting another')
    setTimeout(() => ending || fork(), REBIRTH_MS)
  })
  let metrics: MetricsListener | undefined

  const end = async (exitCode: number): Promise<void> => {
    if (ending) return
    ending = true
    const backedUp = backups.stop()
    await Promise.all(Object.values(cluster.workers ?? {}).map(endWorker))
    await metrics?.close()
    await indexes.stop()
    await purging.stop()
    await figures.stop()
    await backedUp
    await database.close()
    await server.stop()
    process.exit(exitCode)
  }
  process.on('SIGTERM', () => void end(0))
  process.on('SIGINT', () => void end(0))
  server.onExit?.then((report) => {
    if (!ending) log.fatal({ report: report.message }, 'the embedded PostgreSQL is gone')
    void end(1)
  })

  const workers = Array.from({ length: config.WORKERS }, fork)
  await Promise.all(workers.map(listening))
  // Only now: a worker that is still starting does not answer requests for its metrics.
  if (config.METRICS_PORT !== undefined) {
    metrics = await serveMetrics(config, log, config.METRICS_PORT)
  }
  announceStart(io.stdout, log, { config, server, isDemo, setupCode })
}

function listening(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('listening', () => resolve())
    worker.once('exit', () => resolve())
  })
}

function endWorker(worker: Worker | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (worker === undefined || worker.isDead()) return resolve()
    worker.once('exit', () => resolve())
    worker.process.kill('SIGTERM')
  })
}

/**
 * Lets the parent collect the metrics of this worker; creating the registry starts the listener.
 */
export function shareMetrics(registry: Registry): void {
  new AggregatorRegistry()
  AggregatorRegistry.setRegistries(registry)
}

/** The sum over all workers; each one counts only its own requests. */
function serveMetrics(config: Config, log: Logger, port: number): Promise<MetricsListener> {
  const aggregate = new AggregatorRegistry()
  return listenForMetrics({
    source: {
      contentType: aggregate.contentType,
      metrics: () => aggregate.clusterMetrics(),
    },
    host: config.METRICS_HOST,
    port,
    token: config.METRICS_TOKEN,
    onError: (error) => log.error({ err: error }, 'the workers did not tell their metrics'),
  })
}
