import { JOB_CHANNEL } from '../domain/jobs/start-job.ts'
import type { SchoolDirectory } from '../domain/schools/school-directory.ts'
import { ChangeListener, type ListenerPace } from '../foundation/db/change-listener.ts'
import type { Database } from '../foundation/db/database.ts'
import type { ConnectionSettings } from '../foundation/db/hosts.ts'

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

/** Keeps a directory up to date with changes by any process or by plain SQL, and tells of new jobs, until it is stopped. */
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
