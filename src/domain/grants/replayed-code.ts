import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'
import { auditInsert, isNotCommon } from '../audit/audit.ts'
import type { GrantFacts, TokenRequest } from './grant-rule.ts'

interface ReplayedCode extends GrantFacts {
  readonly codeId: string | null
}

/**
 * A code that is presented twice with proof of possession ends the authorization that it made, because
 * one of the two senders stole it. This is committed although the request is refused, and is tried
 * again if the connection is lost.
 *
 * @see RFC 6749 §4.1.2, RFC 9700 §4.5
 */
export async function endAuthorizationOfReplayedCode(
  at: SchoolDb,
  { clientId, requestId }: TokenRequest,
  { codeId, userId }: ReplayedCode,
): Promise<void> {
  const end = async () => {
    const audit = auditInsert(
      {
        schoolId: at.schoolId,
        action: 'code.replayed',
        outcome: 'invalid_grant',
        actorUserId: userId ?? undefined,
        clientId,
        authorizationId: sql`(select id from made)`,
        requestId,
      },
      // Once for each authorization: a code can be presented again and again for a day.
      sql`where not exists (
        select from audit_entries e
        where e.school_id = ${at.schoolId} and e.action = 'code.replayed' and ${isNotCommon(sql`e.action`)}
          and e.authorization_id = (select id from made))`,
    )
    await at.run(sql`
      with made as (
        select id from authorizations where code_id = ${codeId} and school_id = ${at.schoolId}),
      ended as (
        update authorizations a set revoked_at = now() from made
        where a.id = made.id and a.revoked_at is null),
      audited as (${audit})
      select 1`)
  }
  await retryLostConnection(end)
}
