import type pg from 'pg'
import type { ConnectionSettings } from '../../foundation/db/hosts.ts'
import { withOwnConnection } from '../../foundation/db/own-connection.ts'

/**
 * A connection that writes values in the same way on every server: times in UTC, exact numbers, bytes as
 * hexadecimal. Without the time limit of requests, because a backup takes longer.
 */
export async function withBackupClient<R>(
  connection: ConnectionSettings,
  work: (client: pg.Client) => Promise<R>,
): Promise<R> {
  const settings = {
    timezone: 'UTC',
    datestyle: 'ISO',
    intervalstyle: 'postgres',
    bytea_output: 'hex',
    extra_float_digits: '1',
    statement_timeout: '0',
    idle_in_transaction_session_timeout: '0',
  }
  const own = { ...connection, application_name: 'schoolgate backup' }
  return await withOwnConnection(own, async (client) => {
    for (const [name, value] of Object.entries(settings)) {
      await client.query('select set_config($1, $2, false)', [name, value])
    }
    return await work(client)
  })
}

export interface NewestMigration {
  readonly number: number
  readonly name: string
}

/** Without indexes that are built while servers run: they do not change what a backup holds. */
export async function newestMigration(client: pg.Client): Promise<NewestMigration> {
  const { rows } = await client.query<NewestMigration>(
    String.raw`select number, name from schema_migrations
     where name !~ '\.(background|awaited)\.sql$' order by number desc limit 1`,
  )
  return rows[0] ?? { number: 0, name: 'none' }
}
