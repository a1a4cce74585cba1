import pg from 'pg'
import { ClosableClient } from './closable-client.ts'
import { type ConnectionSettings, onUsableHost } from './hosts.ts'
import { requirePrimary } from './primary.ts'
import { TIME_OUTS } from './time-outs.ts'
import { toDatabaseError } from './unavailable.ts'

/** Runs `work` on a connection outside the pool, with settings of its own. */
export async function withOwnConnection<R>(
  settings: ConnectionSettings,
  work: (client: ClosableClient) => Promise<R>,
): Promise<R> {
  const client = await onUsableHost(
    settings,
    () => open(settings),
    () => true,
  )
  let lost: Error | undefined
  client.on('error', (error) => {
    lost ??= error
  })
  try {
    return await work(client)
  } catch (error) {
    // `work` can fail by itself, for instance on a full disk: that is not about the database.
    if (lost === undefined && !(error instanceof pg.DatabaseError)) throw error
    throw toDatabaseError(lost ?? error)
  } finally {
    await client.close()
  }
}

async function open(settings: ConnectionSettings): Promise<ClosableClient> {
  const client = new ClosableClient({
    ...settings,
    connectionTimeoutMillis: TIME_OUTS.connectAlone,
  })
  // Without a listener a lost connection would end the process. pg also rejects the statement that runs.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await requirePrimary(client, TIME_OUTS.connectAlone)
    return client
  } catch (error) {
    await client.close()
    throw toDatabaseError(error)
  }
}
