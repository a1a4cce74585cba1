import type { Actor } from '../../../domain/actor/actor.ts'
import { MOST_REGISTRATIONS } from '../../../domain/events/registration-operations.ts'
import { countAct } from '../../../domain/people/sign-in-counters.ts'
import { TooManyRequestsError } from '../../../foundation/http/rate-limit.ts'
import type { SignedInVisit } from './visit.ts'

/** A member who acts on the pages of their school. */
export function memberActor({ request, session }: SignedInVisit): Actor & { userId: string } {
  const { person, roles } = session
  const { origin } = request.school
  return { via: 'account', userId: person.id, roles, origin, requestId: request.id }
}

/** Each is an entry of the audit log. */
export async function countOwnChange(visit: SignedInVisit): Promise<void> {
  const { context, reply, session } = visit
  const throttleKey = context.keyring.key('sign-in-throttle')
  const wait = await countAct(visit.db, throttleKey, {
    kind: 'event-registration',
    userId: session.person.id,
    most: MOST_REGISTRATIONS,
  })
  if (wait === 0) return
  reply.header('retry-after', wait)
  throw new TooManyRequestsError(wait)
}
