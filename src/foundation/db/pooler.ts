import { ClosableClient } from './closable-client.ts'
import type { ConnectionSettings } from './hosts.ts'

/** "There is no such statement." */
const UNKNOWN_STATEMENT = '26000'

/**
 * Whether statements that a connection prepared are lost, as behind a pooler that lends another session to each
 * transaction and does not know them. One connection prepares a statement, another one takes the session away,
 * and the first one runs it again. False if it cannot be found out in time.
 */
export async function losesPreparedStatements(
  connection: ConnectionSettings,
  withinMs: number,
): Promise<boolean> {
  const settings = { ...connection, application_name: 'schoolgate look' }
  const [one, other] = [new ClosableClient(settings), new ClosableClient(settings)]
  for (const client of [one, other]) client.on('error', () => undefined)
  const timer = setTimeout(() => {
    one.giveUpOpening()
    other.giveUpOpening()
  }, withinMs)
  const run = () =>
    one.query({ name: 'schoolgate_look', text: 'select $1::int as it', values: [1] })
  try {
    await Promise.all([one.connect(), other.connect()])
    await run()
    await other.query('begin')
    await other.query('select 1')
    await run()
    await other.query('rollback')
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === UNKNOWN_STATEMENT
  } finally {
    clearTimeout(timer)
    await Promise.all([one.close(), other.close()])
  }
}
