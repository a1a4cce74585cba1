import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { recordOnceAnHour } from '../audit/repeated-entries.ts'
import { endAuthorization } from './authorizations.ts'
import type { GrantFacts, TokenRequest } from './grant-rule.ts'

/**
 * Records that a revoked refresh token was presented again. Nothing else is revoked: that would sign out
 * clients that lost an answer or share one stored token. A school may choose the stricter way.
 *
 * @see RFC 9700 §4.14.2
 */
export async function noteReplayedRefreshToken(
  at: SchoolDb,
  { school, clientId, requestId }: TokenRequest,
  { userId, authorizationId }: GrantFacts,
): Promise<void> {
  await recordOnceAnHour(at, {
    action: 'token.replayed',
    outcome: 'invalid_grant',
    clientId,
    actorUserId: userId ?? undefined,
    authorizationId: authorizationId ?? undefined,
    requestId,
  })
  if (school.endAuthorizationOnReplay && authorizationId) {
    await endAuthorization(at, authorizationId)
  }
}
