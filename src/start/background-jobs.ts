import { sql } from 'kysely'
import type { Logger } from 'pino'
import { FigureRounds } from '../domain/analytics/figure-rounds.ts'
import { JOB_KINDS } from '../domain/catalogue/job-kinds.ts'
import { REMINDERS } from '../domain/catalogue/reminders.ts'
import { mayGoOn } from '../domain/grants/right-of-job.ts'
import { PURGED_AT_ONCE, purgeJobs } from '../domain/jobs/finish-job.ts'
import { JobRunner } from '../domain/jobs/job-runner.ts'
import { sendReminders } from '../domain/notifications/reminders.ts'
import { purgePictures } from '../domain/people/profile.ts'
import { writeUsage } from '../domain/schools/usage.ts'
import type { Db } from '../foundation/db/database.ts'
import { viewOf } from '../foundation/db/lanes.ts'
import type { FileStore } from '../foundation/storage/file-store.ts'
import type { WorkMetrics } from './work-metrics.ts'

/**
 * How often a process looks by itself: for jobs of a process that died, and for notices that did
 * not arrive.
 */
const LOOK_SECONDS = 10
const PURGE_SECONDS = 600
const REMIND_SECONDS = 300

export interface Jobs {
  wake(): void
  stop(): Promise<void>
}

/** Works on jobs in the background of a server, until it stops. */
export function workOnJobs(
  db: Db,
  files: FileStore,
  log: Logger,
  onFinished?: WorkMetrics['jobFinished'],
): Jobs {
  const runner = new JobRunner(db, {
    kinds: JOB_KINDS,
    mayGoOn,
    files,
    onFinished,
    onError: (error, job) => log.error({ err: error, job }, 'a job could not go on'),
  })
  const looking = setInterval(() => runner.wake(), LOOK_SECONDS * 1000).unref()
  const purge = async () => {
    const batch = viewOf(db, { lane: 'batch', tenant: '' })
    while ((await purgeJobs(batch, files)) === PURGED_AT_ONCE);
    await purgePictures(batch, files)
  }
  const purging = setInterval(() => {
    purge().catch((error: unknown) =>
      log.error(
        { err: error },
        'files that are no longer needed could not be removed; it is tried again later',
      ),
    )
  }, PURGE_SECONDS * 1000).unref()
  const reminding = setInterval(() => {
    const later = 'members could not be reminded; it is tried again later'
    sendReminders(viewOf(db, { lane: 'batch', tenant: '' }), REMINDERS, (error, schoolId) =>
      log.error({ err: error, schoolId }, later),
    ).catch((error: unknown) => log.error({ err: error }, later))
  }, REMIND_SECONDS * 1000).unref()
  runner.wake()
  return {
    wake: () => runner.wake(),
    async stop() {
      for (const timer of [looking, purging, reminding]) clearInterval(timer)
      await runner.stop()
    },
  }
}

const USAGE_SECONDS = 60

/** Writes what each school used, once a minute and at the end. */
export function writeUsageInBackground(db: Db, log: Logger): { stop(): Promise<void> } {
  const batch = viewOf(db, { lane: 'batch', tenant: '' })
  const write = () =>
    writeUsage(batch).catch((error: unknown) =>
      log.warn({ err: error }, 'what schools use was not written; it is tried again'),
    )
  const timer = setInterval(write, USAGE_SECONDS * 1000).unref()
  return {
    async stop() {
      clearInterval(timer)
      await write()
    },
  }
}

/** Between rounds, and between rounds that do not end. */
const PAUSE_MS = 1_000
const SHORT_PAUSE_MS = 20

/**
 * Without these indexes to count one day reads a whole table. An update builds them after the
 * start.
 */
const INDEXES = ['enrollments_by_start', 'payments_by_refund']

/** Counts the figures that writes made wrong until stopped; `stop` waits for the current round. */
export function countFiguresInBackground(db: Db, log: Logger): { stop(): Promise<void> } {
  const rounds = new FigureRounds(db)
  let isStopping = false
  let isReady = false
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> = Promise.resolve()

  const schedule = (pause: number): void => {
    if (isStopping) return
    timer = setTimeout(() => {
      round = run()
    }, pause)
    timer.unref()
  }
  const run = async (): Promise<void> => {
    let isMore = false
    try {
      isReady ||= await hasIndexes(db)
      if (isReady) isMore = await rounds.next()
    } catch (error) {
      log.warn({ err: error }, 'figures of schools were not counted; it is tried again')
    }
    schedule(isMore ? SHORT_PAUSE_MS : PAUSE_MS)
  }
  schedule(PAUSE_MS)
  return {
    async stop() {
      isStopping = true
      clearTimeout(timer)
      await round
    },
  }
}

async function hasIndexes(db: Db): Promise<boolean> {
  const { rows } = await sql<{ built: number }>`
    select count(*)::int as built from unnest(${INDEXES}::text[]) wanted (name)
      join pg_index i on i.indexrelid = to_regclass(wanted.name) and i.indisvalid`.execute(db)
  return rows[0]?.built === INDEXES.length
}
