import type { Db } from '../../../foundation/db/database.ts'
import type { SchoolDb } from '../../../foundation/db/school-db.ts'
import type { FactsOf } from '../mails/queued-kinds.ts'
import { queueMail } from '../outgoing-mail.ts'
import { typedEmail } from '../person.ts'
import { signUpCounters } from '../sign-in-counters.ts'
import { countTry, uncountTries } from '../throttle.ts'

const WINDOW_MINUTES = 60

export type SignUpRequest =
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  | { readonly kind: 'accepted' }

/**
 * Stores that a person wants to sign up. As for a forgotten password, no table of people is read before the answer, and
 * there is no account before the mailbox is proven: `sign-up-mail.ts` decides what the mail says.
 */
export async function requestSignUp(
  db: Db,
  at: SchoolDb,
  throttleKey: Buffer,
  request: {
    readonly email: string
    readonly address: string
    readonly facts: FactsOf<'sign_up'>
  },
): Promise<SignUpRequest> {
  const email = typedEmail(request.email)
  const limits = signUpCounters(throttleKey, email, request.address)
  const retryAfterSeconds = await countTry(db, limits, WINDOW_MINUTES)
  if (retryAfterSeconds > 0) {
    await uncountTries(db, { returned: limits })
    return { kind: 'throttled', retryAfterSeconds }
  }
  await queueMail(at, 'sign_up', email, request.facts)
  return { kind: 'accepted' }
}
