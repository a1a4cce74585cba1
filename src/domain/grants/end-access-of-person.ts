import type { Db } from '../../foundation/db/database.ts'
import { recordAtSchools } from '../audit/audit.ts'
import { endAuthorizationsOfPerson } from './authorizations.ts'
import { withdrawCodesOfPerson } from './withdraw-codes.ts'

/**
 * Crosses schools: ends every authorization and every pending code of a person, in the transaction that has ended their
 * sessions: with a new password, or because the person asked. An attacker may have connected an app. Each school finds it
 * in its audit. Returns how many ended.
 */
export async function endAccessOfPerson(
  tx: Db,
  userId: string,
  by: 'new_password' | 'sign_out',
  requestId: string | undefined,
): Promise<number> {
  await withdrawCodesOfPerson(tx, userId)
  const ended = await endAuthorizationsOfPerson(tx, userId)
  await recordAtSchools(
    tx,
    ended.map(({ id, schoolId, clientId }) => ({
      schoolId,
      action: 'authorization.ended' as const,
      outcome: 'ok',
      actorUserId: userId,
      clientId,
      authorizationId: id,
      detail: { by },
      requestId,
    })),
  )
  return ended.length
}
