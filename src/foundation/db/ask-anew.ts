import pg from 'pg'
import { ClosableClient } from './closable-client.ts'

/** By name and not by process: behind a pooler, the process may run something else by now. */
const RUNNING = `
  select application_name as name from pg_stat_activity
  where datname = current_database() and application_name = any($1) and state = 'active'`

/** Undefined if PostgreSQL did not answer. */
export type Answer = { readonly running?: ReadonlySet<string> } | undefined

/**
 * Asks PostgreSQL over a new connection which of our connections it works for. An error is an answer too: one that
 * has no connection left is alive.
 */
export async function askAnew(
  connection: pg.ClientConfig,
  names: readonly string[],
  withinMs: number,
): Promise<Answer> {
  const client = new ClosableClient({ ...connection, application_name: 'schoolgate probe' })
  // The statement that runs is rejected with the same error.
  client.on('error', () => undefined)
  const timer = setTimeout(() => client.giveUp(), withinMs)
  try {
    await client.connect()
    const { rows } = await client.query<{ name: string }>(RUNNING, [names])
    return { running: new Set(rows.map(({ name }) => name)) }
  } catch (error) {
    return error instanceof pg.DatabaseError ? {} : undefined
  } finally {
    clearTimeout(timer)
    void client.close()
  }
}
