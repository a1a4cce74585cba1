import type pg from 'pg'
import { vi } from 'vitest'
import { eventually } from './eventually.ts'
import { connect } from './postgres.ts'

/**
 * Resolves with the process ids once this many backends wait for a lock. Backends of a pipeline do
 * not count: their lock_timeout ends after a tenth of a second.
 */
export type Waiting = (many: number) => Promise<readonly number[]>

/**
 * Locks a row, or a table, calls `start`, calls `meanwhile` when backends wait for the row,
 * releases the row, and awaits the result of `start`.
 */
export async function whileRowHeld<R>(
  connection: pg.ClientConfig,
  row: { readonly lock: string; readonly id?: string },
  start: () => Promise<R>,
  meanwhile: (waiting: Waiting, holder: pg.Client) => Promise<void>,
): Promise<R> {
  const holder = await connect(connection)
  // A transaction sees pg_stat_activity as of its first read, so another connection reads it.
  const watcher = await connect(connection)
  const waiting: Waiting = (many) =>
    vi.waitUntil(async () => {
      const { rows } = await watcher.query<{ pid: number }>(
        `select pid from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'
           and application_name not like 'schoolgate pipeline %'`,
      )
      return rows.length >= many && rows.map(({ pid }) => pid)
    }, eventually)
  try {
    await holder.query('begin')
    await holder.query(row.lock, row.id === undefined ? [] : [row.id])
    const started = start()
    await meanwhile(waiting, holder)
    await holder.query('rollback')
    return await started
  } finally {
    await Promise.all([holder.end(), watcher.end()])
  }
}
