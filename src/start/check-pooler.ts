import type { ConnectionSettings } from '../foundation/db/hosts.ts'
import { losesPreparedStatements } from '../foundation/db/pooler.ts'
import { TIME_OUTS } from '../foundation/db/time-outs.ts'
import { StartError } from './start-error.ts'

export const POOLER_REMEDY =
  'Use PgBouncer 1.21 or newer with max_prepared_statements, or pool_mode=session, or no pooler; docs/guides/pgbouncer.md has the settings.'

/** Refuses a pooler behind which requests would fail at random. */
export async function refuseUnfitPooler(connection: ConnectionSettings): Promise<void> {
  if (!(await losesPreparedStatements(connection, TIME_OUTS.connectAlone))) return
  throw new StartError(
    'The pooler in front of PostgreSQL loses prepared statements.',
    POOLER_REMEDY,
  )
}
