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
  readonly pace?: ListenerPace
}

/** Keeps a directory up to date with changes by any process or by plain SQL, until it is stopped. */
export async function listenForSchoolChanges(
  directory: SchoolDirectory,
  { connection, pool, watch, onError, pace }: SchoolChanges,
): Promise<ChangeListener> {
  const handlers = {
    onChange: (_channel: string, schoolId: string) => directory.forget(schoolId),
    onGap: () => directory.forget(),
    onProof: () => directory.confirm(),
    echo: (channel: string) => pool.query('select pg_notify($1, $2)', [channel, '']),
    onError,
  }
  const listener = new ChangeListener(connection, ['school_changed'], handlers, pace, watch)
  await listener.start()
  return listener
}
