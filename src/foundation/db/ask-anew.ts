import pg from 'pg'
import { ClosableClient } from './closable-client.ts'
import { type ConnectionSettings, onUsableHost } from './hosts.ts'
import { requirePrimary } from './primary.ts'

/** By name and not by process: behind a pooler, the process may run something else by now. */
const RUNNING = `
  select application_name as name from pg_stat_activity
  where datname = current_database() and application_name = any($1) and state = 'active'`

/** Undefined if no primary answered. */
export type Answer = { readonly running?: ReadonlySet<string> } | undefined

/**
 * Asks PostgreSQL over a new connection which of our connections it works for. An error is an answer too: one that
 * has no connection left is alive.
 */
export async function askAnew(
  connection: ConnectionSettings,
  names: readonly string[],
  withinMs: number,
): Promise<Answer> {
  try {
    return await onUsableHost(connection, () => ask(connection, names, withinMs))
  } catch (error) {
    return error instanceof pg.DatabaseError ? {} : undefined
  }
}

async function ask(connection: ConnectionSettings, names: readonly string[], withinMs: number) {
  const client = new ClosableClient({ ...connection, application_name: 'schoolgate probe' })
  // The statement that runs is rejected with the same error.
  client.on('error', () => undefined)
  const timer = setTimeout(() => client.giveUpOpening(), withinMs)
  try {
    await client.connect()
    await requirePrimary(client, withinMs)
    const own = client.applicationName
    const { rows } = await client.query<{ name: string }>(RUNNING, [[own, ...names]])
    const running = new Set(rows.map(({ name }) => name))
    // A pooler, or a setting of the server, may hide names: what is not shown may run all the same.
    return running.has(own) ? { running } : {}
  } finally {
    clearTimeout(timer)
    void client.close()
  }
}
