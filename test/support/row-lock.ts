import type pg from 'pg'
import { connect } from './postgres.ts'

/** Resolves once so many backends wait for a lock, with their process ids. */
export type Waiting = (many: number) => Promise<readonly number[]>

/**
 * Holds a row while `start` runs into it, lets `meanwhile` do what it wants to the ones that wait,
 * lets go, and awaits what was started.
 */
export async function whileRowHeld<R>(
  connection: pg.ClientConfig,
  row: { readonly lock: string; readonly id: string },
  start: () => Promise<R>,
  meanwhile: (waiting: Waiting, holder: pg.Client) => Promise<void>,
): Promise<R> {
  const holder = await connect(connection)
  // A transaction sees pg_stat_activity as it was when it first looked, so another connection looks.
  const watcher = await connect(connection)
  const waiting: Waiting = async (many) => {
    for (;;) {
      const { rows } = await watcher.query<{ pid: number }>(
        `select pid from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      )
      if (rows.length >= many) return rows.map(({ pid }) => pid)
    }
  }
  try {
    await holder.query('begin')
    await holder.query(row.lock, [row.id])
    const started = start()
    await meanwhile(waiting, holder)
    await holder.query('rollback')
    return await started
  } finally {
    await Promise.all([holder.end(), watcher.end()])
  }
}
