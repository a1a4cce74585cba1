import { sql, type Transaction } from 'kysely'
import type { DB } from '../../foundation/db/schema.generated.ts'
import { recordAtSchools } from '../audit/audit.ts'
import { type AccountRecovery, RECENT_DAYS, recoveryEntry } from './account-recovery.ts'
import { recordAboutPerson } from './notices.ts'

/*
 * What was added to an account lately may be a thief's; what is older is the person's own, because
 * they were told of it by mail. So a link by mail removes only what is recent: a thief of the
 * mailbox would otherwise remove the passkeys of the person, and count as a person who has none.
 */

const isRecent = sql<boolean>`created_at > now() - make_interval(days => ${sql.lit(RECENT_DAYS)})`

/** Crosses schools: a thief may have added a passkey at any of them. */
export async function removeRecentPasskeys(
  tx: Transaction<DB>,
  userId: string,
  how: AccountRecovery,
): Promise<void> {
  const removed = await tx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .where(isRecent)
    .returning(['school_id', 'id'])
    .execute()
  await recordAtSchools(
    tx,
    removed.map(({ school_id: schoolId, id }) => ({
      ...recoveryEntry(userId, how),
      ...{ schoolId, action: 'passkey.removed', subject: id },
    })),
  )
}

/** Crosses schools: one that a thief added would lock the person out for good. */
export async function removeRecentAuthenticator(
  tx: Transaction<DB>,
  userId: string,
  how: AccountRecovery,
): Promise<void> {
  const removed = await tx
    .deleteFrom('authenticators')
    .where('user_id', '=', userId)
    .where(isRecent)
    .executeTakeFirst()
  if (removed.numDeletedRows === 0n) return
  await recordAboutPerson(tx, userId, { action: 'factor.removed', ...recoveryEntry(userId, how) })
}
