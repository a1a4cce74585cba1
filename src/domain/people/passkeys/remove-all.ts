import type { Transaction } from 'kysely'
import type { DB } from '../../../foundation/db/schema.generated.ts'
import { recordAtSchools } from '../../audit/audit.ts'

/**
 * Crosses schools: a thief who knew the password of a person, or held their browser, may have added a passkey anywhere. Returns
 * how many there were.
 */
export async function removePasskeysOfPerson(
  tx: Transaction<DB>,
  userId: string,
  why: { readonly by: string; readonly requestId?: string | undefined },
): Promise<number> {
  const removed = await tx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .returning(['school_id', 'id'])
    .execute()
  await recordAtSchools(
    tx,
    removed.map(({ school_id, id }) => ({
      schoolId: school_id,
      action: 'passkey.removed',
      outcome: 'ok',
      actorUserId: userId,
      subject: id,
      detail: { by: why.by },
      requestId: why.requestId,
    })),
  )
  return removed.length
}
