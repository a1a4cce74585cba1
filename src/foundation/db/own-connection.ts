import pg from 'pg'
import { toDatabaseError } from './unavailable.ts'

/** Runs `work` on a connection outside the pool, with settings of its own. */
export async function withOwnConnection<R>(
  settings: pg.ClientConfig,
  work: (client: pg.Client) => Promise<R>,
): Promise<R> {
  const client = new pg.Client(settings)
  let lost: Error | undefined
  // Without a listener a lost connection would end the process. pg also rejects the statement that runs.
  client.on('error', (error) => {
    lost ??= error
  })
  try {
    await client.connect().catch((error) => {
      throw toDatabaseError(error)
    })
    return await work(client)
  } catch (error) {
    // `work` can fail by itself, for instance on a full disk: that is not about the database.
    if (lost === undefined && !(error instanceof pg.DatabaseError)) throw error
    throw toDatabaseError(lost ?? error)
  } finally {
    await client.end()
  }
}
