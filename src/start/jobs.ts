import type { Logger } from 'pino'
import { JOB_KINDS } from '../domain/catalogue/job-kinds.ts'
import { mayGoOn } from '../domain/grants/right-of-job.ts'
import { PURGED_AT_ONCE, purgeJobs } from '../domain/jobs/finish-job.ts'
import { JobRunner } from '../domain/jobs/job-runner.ts'
import { purgePictures } from '../domain/people/profile.ts'
import type { Db } from '../foundation/db/database.ts'
import { viewOf } from '../foundation/db/lanes.ts'
import type { FileStore } from '../foundation/storage/file-store.ts'
import type { WorkMetrics } from './work-metrics.ts'

/** How often a process looks by itself: for jobs of a process that died, and for notices that did not arrive. */
const LOOK_SECONDS = 10
const PURGE_SECONDS = 600

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
    const batch = viewOf(db, { lane: 'batch', share: '' })
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
  runner.wake()
  return {
    wake: () => runner.wake(),
    async stop() {
      clearInterval(looking)
      clearInterval(purging)
      await runner.stop()
    },
  }
}
