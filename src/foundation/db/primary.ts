import type { ClosableClient } from './closable-client.ts'
import { DatabaseUnavailableError } from './unavailable.ts'

/** On a standby every transaction is read-only, too. */
const LOOK = `
  select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`

/** read_only_sql_transaction. */
export const READ_ONLY = '25006'

/**
 * Refuses a new connection that cannot write. A standby may be behind: it would accept a token that was revoked a
 * moment ago. PostgreSQL ends all connections of a primary that becomes a standby, so to look once is enough.
 */
export async function requirePrimary(client: ClosableClient, withinMs: number): Promise<void> {
  const timer = setTimeout(() => client.giveUpOpening(), withinMs)
  try {
    const { rows } = await client.query<{ isStandby: boolean; isReadOnly: boolean }>(LOOK)
    if (rows[0]?.isStandby) {
      throw new DatabaseUnavailableError('This PostgreSQL is a standby, not the primary', READ_ONLY)
    }
    if (rows[0]?.isReadOnly) {
      throw new DatabaseUnavailableError('This PostgreSQL accepts no writes', READ_ONLY)
    }
  } finally {
    clearTimeout(timer)
  }
}
