import type pg from 'pg'
import { vi } from 'vitest'
import { eventually } from './eventually.ts'
import { connect } from './postgres.ts'

/**
 * Resolves once so many backends wait for a lock for as long as it takes, with their process ids. Those
 * that share a pipeline do not count: they give up by themselves after a tenth of a second.
 */
export type Waiting = (many: number) => Promise<readonly number[]>

/**
 * Holds a row while `start` runs into it, lets `meanwhile` act on the backends that wait, releases the
 * row, and awaits what was started.
 */
export async function whileRowHeld<R>(
  connection: pg.ClientConfig,
  row: { readonly lock: string; readonly id: string },
  start: () => Promise<R>,
  meanwhile: (waiting: Waiting, holder: pg.Client) => Promise<void>,
): Promise<R> {
  const holder = await connect(connection)
  // A transaction sees pg_stat_activity as it was at its first look, so another connection looks.
  const watcher = await connect(connection)
  const waiting: Waiting = (many) =>
    vi.waitUntil(async () => {
      const { rows } = await watcher.query<{ pid: number }>(
        `select pid from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'
           and application_name <> 'schoolgate pipeline'`,
      )
      return rows.length >= many && rows.map(({ pid }) => pid)
    }, eventually)
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
