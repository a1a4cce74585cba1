import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'
import { auditInsert, isNotCommon } from '../audit/audit.ts'
import type { GrantFacts, TokenRequest } from './grant-rule.ts'

interface ReplayedCode extends GrantFacts {
  readonly codeId: string | null
}

/** Within this time after its exchange a repeat is most likely of the same client: effects that run twice, a reloaded callback. */
const REPEAT_SECONDS = 10

/**
 * A code that is presented again with proof of possession, later than a client repeats its own request, ends the authorization
 * that it made, because one of the two senders stole it. This is committed although the request is refused, and is tried
 * again if the connection is lost. An earlier repeat is refused and recorded, and ends nothing.
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
        detail: sql`coalesce((select jsonb_build_object('ended', late) from made), '{}')`,
        requestId,
      },
      // Once for each authorization, and once more for its end: a code can be presented again and again for a day.
      sql`where not exists (
        select from audit_entries e
        where e.school_id = ${at.schoolId} and e.action = 'code.replayed' and ${isNotCommon(sql`e.action`)}
          and e.authorization_id = (select id from made) and e.detail -> 'ended' = to_jsonb((select late from made)))`,
    )
    await at.run(sql`
      with made as (
        select a.id, k.consumed_at < now() - make_interval(secs => ${sql.lit(REPEAT_SECONDS)}) as late
        from authorizations a join authorization_codes k on k.id = a.code_id
        where a.code_id = ${codeId} and a.school_id = ${at.schoolId}),
      ended as (
        update authorizations a set revoked_at = now() from made
        where a.id = made.id and made.late and a.revoked_at is null),
      audited as (${audit})
      select 1`)
  }
  await retryLostConnection(end)
}
