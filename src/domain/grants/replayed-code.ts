import { sql } from 'kysely'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { retryLostConnection } from '../../foundation/db/unavailable.ts'
import { auditInsert } from '../audit/audit.ts'
import type { FoundCode } from './codes.ts'

/**
 * A code presented a second time by somebody who proved possession of it ends the authorization
 * that it made: one of the two presenters stole it. Commits although the request is refused,
 * and is tried again rather than forgotten.
 *
 * @see RFC 6749 §4.1.2, RFC 9700 §4.5
 */
export async function endAuthorizationOfReplayedCode(
  at: SchoolDb,
  code: FoundCode,
  requestId: string | undefined,
): Promise<void> {
  await retryLostConnection(() => endAndNote(at, code, requestId))
}

async function endAndNote(
  at: SchoolDb,
  code: FoundCode,
  requestId: string | undefined,
): Promise<void> {
  const audit = auditInsert(
    at.schoolId,
    {
      action: 'code.replayed',
      outcome: 'invalid_grant',
      actorUserId: code.userId,
      clientId: code.clientId,
      requestId,
    },
    sql`true`,
    { authorizationId: sql`(select id from made)` },
  )
  await at.run(sql`
    with made as (
      select id from authorizations where code_id = ${code.id} and school_id = ${at.schoolId}),
    ended as (
      update authorizations a set revoked_at = now() from made
      where a.id = made.id and a.revoked_at is null),
    audited as (${audit})
    select 1`)
}
