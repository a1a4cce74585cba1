import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { Counter, Gauge, type Registry } from 'prom-client'
import { type JobEnd, readJobBacklog } from '../domain/jobs/finish-job.ts'
import { readMailBacklog } from '../domain/people/outgoing-mail.ts'
import type { Database, Db } from '../foundation/db/database.ts'
import {
  buildIndexes,
  type IndexEvent,
  saidProgress,
} from '../foundation/db/migration/build-indexes.ts'
import { loadMigrations, type Migration } from '../foundation/db/migration/migrations.ts'
import type { Probe } from '../foundation/http/health.ts'
import type { DatabaseServer } from './open-database.ts'

/** What was read counts for so long, because several gauges show it. */
const FRESH_MS = 1_000
/** Without the database the other metrics can still be read. */
const WAIT_MS = 3_000

export interface WorkMetrics {
  readonly jobFinished: (state: JobEnd['state']) => void
}

/**
 * What waits in the background, of the whole installation: every process reports the same, so the
 * largest counts. It is read with the metrics, by one statement each for jobs and mails that counts
 * up to a limit. NaN if the database does not answer.
 */
export function addWorkMetrics(registry: Registry, db: Db, hasMailer: boolean): WorkMetrics {
  const gauge = installationGauges(registry)
  const jobs = recently(() => readJobBacklog(db))
  gauge('schoolgate_jobs_waiting', 'Jobs that wait.', async () => (await jobs())?.waiting)
  gauge('schoolgate_jobs_running', 'Jobs that run.', async () => (await jobs())?.running)
  gauge(
    'schoolgate_jobs_oldest_seconds',
    'How long the oldest waiting job has waited.',
    async () => (await jobs())?.oldestSeconds,
  )
  // Without a mailer, mails wait until they are purged, and nothing is wrong.
  if (hasMailer) {
    const mails = recently(() => readMailBacklog(db))
    gauge('schoolgate_mails_waiting', 'Mails that wait.', async () => (await mails())?.waiting)
    gauge(
      'schoolgate_mails_oldest_seconds',
      'How long the oldest waiting mail has waited.',
      async () => (await mails())?.oldestSeconds,
    )
  }
  const finished = new Counter({
    name: 'schoolgate_jobs_finished_total',
    help: 'Jobs that this process has finished, by how they ended.',
    labelNames: ['state'],
    registers: [registry],
  })
  return { jobFinished: (state) => finished.inc({ state }) }
}

/** Whether this process should get requests, and which schema the database has. */
export function addStateMetrics(registry: Registry, db: Db, readiness: Probe): void {
  new Gauge({
    name: 'schoolgate_ready',
    help: '1 if /readyz answers 200, 0 if it does not.',
    registers: [registry],
    aggregator: 'min',
    async collect() {
      this.set((await readiness()).every(({ ok }) => ok) ? 1 : 0)
    },
  })
  installationGauges(registry)(
    'schoolgate_schema_migration',
    'The number of the newest migration of the database.',
    recently(() => readNewestMigration(db)),
  )
}

async function readNewestMigration(db: Db): Promise<number> {
  const { rows } = await sql<{ newest: number }>`
    select coalesce(max(number), 0) as newest from schema_migrations`.execute(db)
  return rows[0]?.newest ?? 0
}

/** Makes gauges of which every process reports the same; NaN for a value that is not known. */
export function installationGauges(registry: Registry) {
  return (name: string, help: string, read: () => Promise<number | undefined>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      aggregator: 'max',
      async collect() {
        this.set((await read()) ?? Number.NaN)
      },
    })
}

/** Reads at most once in FRESH_MS. Undefined if it fails or takes too long. */
export function recently<R>(read: () => Promise<R>): () => Promise<R | undefined> {
  let readAt = Number.NEGATIVE_INFINITY
  let latest: Promise<R | undefined> = Promise.resolve(undefined)
  return () => {
    if (performance.now() - readAt < FRESH_MS) return latest
    readAt = performance.now()
    const late = new Promise<undefined>((resolve) => {
      setTimeout(resolve, WAIT_MS, undefined).unref()
    })
    latest = Promise.race([read().catch(() => undefined), late])
    return latest
  }
}

export interface IndexPace {
  /** How often progress is logged. */
  readonly lookMs?: number
  /** The pause after a build that failed. */
  readonly retryMs?: number
}

/**
 * Builds indexes that an update brought while this process serves. `stop` ends a build that runs.
 */
export function buildIndexesInBackground(
  { connection }: Pick<DatabaseServer, 'connection'>,
  { pool }: Pick<Database, 'pool'>,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  from?: readonly Migration[],
  { lookMs, retryMs = 60_000 }: IndexPace = {},
): { readonly done: Promise<void>; stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping

  const run = async (): Promise<void> => {
    const migrations = from ?? (await loadMigrations())
    // Most releases bring none.
    if (migrations.every(({ indexes }) => indexes === undefined)) return
    while (!signal.aborted) {
      try {
        await buildIndexes(connection, {
          migrations,
          query: (sql, values) => pool.query(sql, values),
          onEvent: (event) => logEvent(log, event),
          signal,
          lookMs,
        })
        return
      } catch (error) {
        if (signal.aborted) return
        log.error({ err: error }, 'an index could not be built; it is tried again later')
        await sleep(retryMs, undefined, { signal, ref: false }).catch(() => undefined)
      }
    }
  }

  const done = run()
  return {
    done,
    async stop() {
      stopping.abort()
      await done
    },
  }
}

function logEvent(log: Pick<Logger, 'info' | 'warn'>, event: IndexEvent): void {
  const { name: index, table } = event.index
  if (event.what === 'progress') {
    log.info({ index, table, progress: saidProgress(event.progress) }, 'building an index')
  } else if (event.what === 'removed unfinished') {
    log.warn({ index, table }, 'an index was left unfinished; it is built again')
  } else if (event.what === 'begun') log.info({ index, table }, 'building an index')
  else log.info({ index, table }, 'an index is built')
}
