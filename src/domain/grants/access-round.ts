import { type RawBuilder, sql } from 'kysely'

/**
 * The authorization was not ended, neither by itself nor together with all others of its client. `client` names the row of
 * its client in the same statement. Every check of a token uses this: to end a large client changes only the row of the
 * client, and `end-access-job.ts` marks its authorizations later.
 */
export function isNotEnded(authorization: string, client: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(`${authorization}.revoked_at`)} is null
    and ${sql.ref(`${authorization}.access_round`)} = ${sql.ref(`${client}.access_round`)})`
}
