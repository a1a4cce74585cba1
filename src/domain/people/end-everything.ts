import type { Transaction } from 'kysely'
import type { DB } from '../../foundation/db/schema.generated.ts'
import { cancelDeletionsOf } from './deletion/deletion-requests.ts'
import { endNoticeLinks, stopPendingChanges } from './email-change/store-email.ts'
import { keepFactors } from './factors/lost-factors.ts'
import { removeRecentAuthenticator, removeRecentPasskeys } from './recent-ways-in.ts'
import { storePassword } from './set-password.ts'

export interface EndedPerson {
  readonly userId: string
  readonly email: string
  /** Of a password that no person knows. */
  readonly hash: string
  readonly by: 'not_me' | 'end_everything'
  readonly requestId?: string | undefined
}

/**
 * Crosses schools: ends what another person may hold of an account. Sessions, apps, pending codes and remembered browsers end
 * everywhere, the password stops working, and what was added lately as a way to sign in is removed. The person gets a mail with a link
 * to choose a new password. Older passkeys and authenticators stay: they are the person's own.
 * False if the person is gone.
 */
export async function endEverything(tx: Transaction<DB>, ended: EndedPerson): Promise<boolean> {
  const { userId } = ended
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  const stored = await storePassword(tx, { ...ended, endsAccess: true })
  if (!stored) return false
  await endNoticeLinks(tx, userId)
  await stopPendingChanges(tx, userId)
  await cancelDeletionsOf(tx, userId, ended)
  await keepFactors(tx, userId, ended.requestId)
  await removeRecentAuthenticator(tx, userId, ended)
  await removeRecentPasskeys(tx, userId, ended)
  return true
}
