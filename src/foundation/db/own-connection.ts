import pg from 'pg'
import { ClosableClient } from './closable-client.ts'
import { type ConnectionSettings, onUsableHost } from './hosts.ts'
import { requirePrimary } from './primary.ts'
import { type ConnectionState, type SilencePace, SilenceWatch } from './silence-watch.ts'
import { TIME_OUTS } from './time-outs.ts'
import { toDatabaseError } from './unavailable.ts'

export interface SilencePatience {
  /** How long PostgreSQL may take to answer over a new connection. */
  readonly answerMs?: number
  readonly pace?: Partial<SilencePace>
}

/**
 * Runs `work` on a connection outside the pool, with settings of its own. Its statements may take hours; a PostgreSQL
 * that fell silent ends them.
 */
export async function withOwnConnection<R>(
  settings: ConnectionSettings,
  work: (client: ClosableClient) => Promise<R>,
  { answerMs = TIME_OUTS.connectAlone, pace }: SilencePatience = {},
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
  // `lost` tells the caller.
  const watch = new SilenceWatch({
    connection: settings,
    answerMs,
    pace: { doubtMs: TIME_OUTS.doubtAlone, ...pace },
    onAway: () => undefined,
  })
  watch.add(client, stateOf(client), Number.POSITIVE_INFINITY)
  try {
    return await work(client)
  } catch (error) {
    // `work` can fail by itself, for instance on a full disk: that is not about the database.
    if (lost === undefined && !(error instanceof pg.DatabaseError)) throw error
    throw toDatabaseError(lost ?? error)
  } finally {
    await watch.end()
  }
}

/** pg tells when every statement is answered; what is sent after that is the next one. */
function stateOf(client: ClosableClient): () => ConnectionState {
  let answered = client.socket.bytesWritten
  client.on('drain', () => {
    answered = client.socket.bytesWritten
  })
  return () => (client.socket.bytesWritten === answered ? 'held' : 'waiting')
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
