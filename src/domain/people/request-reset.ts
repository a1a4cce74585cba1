import type { Db } from '../../foundation/db/database.ts'
import type { SchoolDb } from '../../foundation/db/school-db.ts'
import { queueMail } from './outgoing-mail.ts'
import { typedEmail } from './person.ts'
import { resetCounters } from './sign-in-counters.ts'
import { countTry, uncountTries } from './throttle.ts'

const WINDOW_MINUTES = 60

export type ResetRequest =
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  | { readonly kind: 'accepted' }

/**
 * Stores that a mail for this email was asked for. No table of people is read here: whether there is an account, and
 * which mail it gets, is decided after the answer (`send-mail.ts`). So known and unknown emails are the same work.
 */
export async function requestPasswordReset(
  db: Db,
  at: SchoolDb,
  throttleKey: Buffer,
  request: { readonly email: string; readonly address: string },
): Promise<ResetRequest> {
  const email = typedEmail(request.email)
  const limits = resetCounters(throttleKey, email, request.address)
  const retryAfterSeconds = await countTry(db, limits, WINDOW_MINUTES)
  if (retryAfterSeconds > 0) {
    await uncountTries(db, { returned: limits })
    return { kind: 'throttled', retryAfterSeconds }
  }
  await queueMail(at, 'forgotten_password', email)
  return { kind: 'accepted' }
}
