import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { buildApp } from '../app.ts'
import type { Config } from '../config.ts'
import { writeRepeatedCounts } from '../domain/audit/repeated-entries.ts'
import { writeActivity } from '../domain/grants/count-activity.ts'
import { JOB_CHANNEL } from '../domain/jobs/start-job.ts'
import { SchoolDirectory } from '../domain/schools/school-directory.ts'
import type { Keyring } from '../foundation/crypto/seal.ts'
import { ChangeListener, type ListenerPace } from '../foundation/db/change-listener.ts'
import type { Database } from '../foundation/db/database.ts'
import type { ConnectionSettings } from '../foundation/db/hosts.ts'
import { loadMigrations } from '../foundation/db/migration/migrations.ts'
import { readinessProbe } from '../foundation/http/health.ts'
import { createLogger } from '../foundation/http/logging.ts'
import { addMetricsRoute, createMetrics, listenForMetrics } from '../foundation/http/metrics.ts'
import {
  createShutdown,
  type Shutdown,
  shutDownOnSignals,
  trackInFlight,
} from '../foundation/http/shutdown.ts'
import { logMailer, type Mailer, smtpMailer } from '../foundation/mail/mailer.ts'
import { listensOnLoopback } from '../foundation/net/parse-url.ts'
import type { FileStore } from '../foundation/storage/file-store.ts'
import type { AppContext } from '../gate/context.ts'
import { VERSION } from '../version.ts'
import { countFiguresInBackground, workOnJobs, writeUsageInBackground } from './background-jobs.ts'
import { addBackupMetrics, backUpInBackground, backupPlanOf } from './backup/scheduled-backups.ts'
import { loadTracing } from './load-tracing.ts'
import type { DatabaseServer } from './open-database.ts'
import { openFileStore } from './open-file-store.ts'
import {
  checkHashing,
  joinPreparedDatabase,
  openPool,
  openPreparedDatabase,
  purgeInBackground,
} from './prepare.ts'
import { announceStart, readinessChecks } from './readiness.ts'
import { StartError } from './start-error.ts'
import { addStateMetrics, addWorkMetrics, buildIndexesInBackground } from './work-metrics.ts'
import { runWorkers, shareMetrics } from './workers.ts'

/**
 * Connections that wait until the process accepts them. Beyond it the system drops them without a
 * word, and clients try again seconds later; Node's default of 511 is less than arrives in one turn
 * of a busy event loop.
 */
const BACKLOG = 4_096
/** How long each part may take to close after the last request. */
const CLOSER_MS = 15_000

/** Runs the server until a signal ends the process. Throws a StartError if it cannot start. */
export async function startServer(config: Config, io: { stdout: Writable }): Promise<void> {
  const log = createLogger({ level: config.LOG_LEVEL })
  if (cluster.isPrimary) {
    checkHashing()
    await checkPortsAreFree(config)
    if (config.NODE_ENV !== 'production') io.stdout.write('Starting Schoolgate …\n')
  }
  if (config.WORKERS > 1 && cluster.isPrimary) {
    await runWorkers(config, log, io)
    return
  }
  await serve(config, log, io)
}

async function serve(config: Config, log: Logger, io: { stdout: Writable }): Promise<void> {
  const prepared = cluster.isWorker
    ? await joinPreparedDatabase(config)
    : await openPreparedDatabase(config, log)
  const { server, keyring, isDemo, setupCode } = prepared
  const tracing = await loadTracing(config, log)
  const database = openPool(config, server, { log, observe: tracing?.statements })
  const directory = new SchoolDirectory(database.db)
  const files = openFileStore(config, tracing?.outgoing)
  const mailer = findMailer(config, log, isDemo)
  const metrics = createMetrics({ version: VERSION, pool: () => poolCounts(database) })
  const { jobFinished } = addWorkMetrics(metrics.registry, database.db, mailer !== undefined)
  const jobs = workOnJobs(database.db, files, log, jobFinished)
  const listener = await listenForSchoolChanges(directory, {
    connection: server.listenConnection,
    pool: database.pool,
    watch: database.watch,
    onError: (error) => log.warn({ err: error }, 'not hearing of changed schools; reconnecting'),
    onJob: () => jobs.wake(),
  })

  const inFlight = trackInFlight()
  if (cluster.isWorker) shareMetrics(metrics.registry)
  let shutdown: Shutdown | undefined
  const isDraining = () => shutdown?.isDraining() ?? false
  const checks = readinessChecks(database, await loadMigrations(), isDraining)
  const readiness = readinessProbe(checks, log)
  addStateMetrics(metrics.registry, database.db, readiness)
  const app = buildApp({
    context: contextOf(config, database, directory, keyring, mailer, files, isDemo),
    logger: log,
    trust: config.TRUST_PROXY,
    logsAddresses: config.LOG_ADDRESSES === 'on',
    readiness,
    observers: [inFlight, metrics.observer],
    tracing,
  })
  if (config.METRICS_TOKEN !== undefined) {
    addMetricsRoute(app, metrics.registry, config.METRICS_TOKEN)
  }
  const metricsListener =
    config.METRICS_PORT === undefined || cluster.isWorker
      ? undefined
      : await listenForMetrics({
          source: metrics.registry,
          host: config.METRICS_HOST,
          port: config.METRICS_PORT,
          token: config.METRICS_TOKEN,
          onError: (error) => log.error({ err: error }, 'the metrics could not be read'),
        })
  const indexes = cluster.isWorker ? undefined : buildIndexesInBackground(server, database, log)
  const purging = cluster.isWorker ? undefined : purgeInBackground(config, database.db, log)
  const figures = cluster.isWorker ? undefined : countFiguresInBackground(database.db, log)
  const usage = writeUsageInBackground(database.db, log)
  const backupPlan = backupPlanOf(config)
  addBackupMetrics(metrics.registry, database.db, backupPlan)
  const backups = backUpInBackground(cluster.isWorker ? undefined : backupPlan, {
    db: database.db,
    connection: server.listenConnection,
    log,
  })
  shutdown = createShutdown({
    app,
    inFlight,
    log,
    noticeMs: config.NODE_ENV === 'production' ? 3000 : 0,
    drainMs: config.SHUTDOWN_TIMEOUT_SECONDS * 1000,
    closerMs: CLOSER_MS,
    closers: [
      { name: 'metrics', close: () => metricsListener?.close() },
      { name: 'indexes', close: () => indexes?.stop() },
      { name: 'purge', close: () => purging?.stop() },
      { name: 'jobs', close: () => jobs.stop() },
      { name: 'figures', close: () => figures?.stop() },
      { name: 'backups', close: () => backups.stop() },
      { name: 'listener', close: () => listener.stop() },
      { name: 'audit counts', close: writeRepeatedCounts },
      { name: 'activity of apps', close: writeActivity },
      { name: 'usage', close: () => usage.stop() },
      { name: 'database pool', close: () => database.close() },
      { name: 'database', close: () => server.stop() },
      { name: 'traces', close: () => tracing?.flush() },
      { name: 'event loop metrics', close: () => metrics.stop() },
    ],
  })
  shutDownOnSignals(shutdown, process)
  watchDatabase(server, shutdown, log)
  await listen(app, config, shutdown)
  if (!cluster.isWorker) announceStart(io.stdout, log, { config, server, isDemo, setupCode })
}

function contextOf(
  config: Config,
  database: Database,
  directory: SchoolDirectory,
  keyring: Keyring,
  mailer: Mailer | undefined,
  files: FileStore,
  isDemo: boolean,
): AppContext {
  return {
    db: database.db,
    directory,
    keyring,
    loopbackDocuments: isDemo && listensOnLoopback(config.HOST),
    documentHosts: config.CLIENT_DOCUMENT_HOSTS,
    mailer,
    files,
    passkeys:
      config.PASSKEY_DOMAIN === undefined
        ? undefined
        : { domain: config.PASSKEY_DOMAIN, origins: config.PASSKEY_ORIGINS },
    securityContact: config.SECURITY_CONTACT,
    limits: {
      tokenPerSecond: config.TOKEN_RATE_PER_SECOND,
      registrationPerMinute: config.REGISTRATION_RATE_PER_MINUTE,
      documentPerMinute: config.DOCUMENT_RATE_PER_MINUTE,
      toolCallsPerMinute: config.TOOL_CALL_RATE_PER_MINUTE,
      apiCallsPerMinute: config.API_CALL_RATE_PER_MINUTE,
      uploadBytes: config.UPLOAD_BYTES,
      formBodyBytes: config.FORM_BODY_BYTES,
      jsonBodyBytes: config.JSON_BODY_BYTES,
      graphqlDepth: config.GRAPHQL_MAX_DEPTH,
      graphqlCost: config.GRAPHQL_MAX_COST,
      memberCostPerMinute: config.MEMBER_API_COST_PER_MINUTE,
      newsMailsPerDay: config.NEWS_MAILS_PER_DAY,
    },
  }
}

/** Without SMTP only the demo world "sends" mail: to the log, where the developer can read it. */
function findMailer(config: Config, log: Logger, isDemo: boolean): Mailer | undefined {
  if (config.SMTP_URL !== undefined && config.MAIL_FROM !== undefined) {
    return smtpMailer(config.SMTP_URL, config.MAIL_FROM)
  }
  return isDemo ? logMailer(log) : undefined
}

function poolCounts({ pools, pipelines }: Database) {
  const sum = { total: 0, idle: 0, waiting: 0, shared: pipelines.connections }
  for (const { counts } of Object.values(pools)) {
    sum.total += counts.total
    sum.idle += counts.idle
    sum.waiting += counts.waiting
  }
  return sum
}

/** The embedded PostgreSQL cannot be started again: exit, so that the supervisor restarts both. */
function watchDatabase(server: DatabaseServer, shutdown: Shutdown, log: Logger): void {
  server.onExit?.then(async (report) => {
    if (shutdown.isDraining()) return
    log.fatal({ report: report.message }, 'the embedded PostgreSQL is gone')
    await shutdown.begin('database ended')
    process.exit(1)
  })
}

async function listen(app: FastifyInstance, config: Config, shutdown: Shutdown): Promise<void> {
  try {
    await app.listen({ host: config.HOST, port: config.PORT, backlog: BACKLOG })
  } catch (cause) {
    await shutdown.begin('could not listen')
    throw whyNotListening(cause as NodeJS.ErrnoException, mainPort(config))
  }
}

/** A place to listen on, and the variables that set it. */
interface ListeningPlace {
  readonly host: string
  readonly port: number
  readonly names: { readonly host: string; readonly port: string }
}

function mainPort(config: Config): ListeningPlace {
  return { host: config.HOST, port: config.PORT, names: { host: 'HOST', port: 'PORT' } }
}

/** Checked first: starting the database takes time and is useless if a port is taken. */
async function checkPortsAreFree(config: Config): Promise<void> {
  await checkIsFree(mainPort(config))
  if (config.METRICS_PORT === undefined) return
  await checkIsFree({
    host: config.METRICS_HOST,
    port: config.METRICS_PORT,
    names: { host: 'METRICS_HOST', port: 'METRICS_PORT' },
  })
}

async function checkIsFree(place: ListeningPlace): Promise<void> {
  const probe = createServer()
  try {
    probe.listen({ host: place.host, port: place.port })
    await once(probe, 'listening')
  } catch (cause) {
    throw whyNotListening(cause as NodeJS.ErrnoException, place)
  } finally {
    probe.close()
  }
}

function whyNotListening(cause: NodeJS.ErrnoException, place: ListeningPlace): Error {
  const { host, port, names } = place
  if (cause.code === 'EADDRINUSE') {
    return new StartError(
      `Port ${port} is taken: another program already listens on ${host}:${port}.`,
      `Stop it, or choose another port, such as ${names.port}=${port + 1}.`,
      { cause },
    )
  }
  if (cause.code === 'EACCES') {
    return new StartError(
      `Listening on ${host}:${port} is not permitted.`,
      `Choose a ${names.port} above 1023, or let a proxy listen on the low one.`,
      { cause },
    )
  }
  if (cause.code === 'EADDRNOTAVAIL' || cause.code === 'ENOTFOUND') {
    return new StartError(
      `${names.host} is ${host}, which is no address of this machine.`,
      `Set ${names.host} to 0.0.0.0 for every address, or leave it out for loopback.`,
      { cause },
    )
  }
  return cause
}

export interface SchoolChanges {
  /** Directly to PostgreSQL: a pooler may drop notifications to an idle connection. */
  readonly connection: ConnectionSettings
  /** The pool that changes schools, so that an echo through it proves that notifications arrive. */
  readonly pool: Database['pool']
  readonly watch?: Database['watch']
  readonly onError: (error: Error) => void
  /** A job was added. */
  readonly onJob?: () => void
  readonly pace?: ListenerPace
}

/**
 * Keeps a directory up to date with changes by any process or by plain SQL, and tells of new jobs,
 * until it is stopped.
 */
export async function listenForSchoolChanges(
  directory: SchoolDirectory,
  { connection, pool, watch, onError, onJob, pace }: SchoolChanges,
): Promise<ChangeListener> {
  const handlers = {
    onChange: (channel: string, schoolId: string) =>
      channel === JOB_CHANNEL ? onJob?.() : directory.forget(schoolId),
    onGap: () => {
      directory.forget()
      onJob?.()
    },
    onProof: () => directory.confirm(),
    echo: (channel: string) => pool.query('select pg_notify($1, $2)', [channel, '']),
    onError,
  }
  const listener = new ChangeListener(
    connection,
    ['school_changed', JOB_CHANNEL],
    handlers,
    pace,
    watch,
  )
  await listener.start()
  return listener
}
