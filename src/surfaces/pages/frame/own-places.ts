import type { Actor } from '../../../domain/actor/actor.ts'
import { countRegistration } from '../../../domain/events/registration-operations.ts'
import { TooManyRequestsError } from '../../../foundation/http/rate-limit.ts'
import type { SignedInVisit } from './visit.ts'

/** A member who takes, moves or gives back their own place at an event or in a meeting. */
export function memberActor({ request, session }: SignedInVisit): Actor {
  const { person, roles } = session
  const { origin } = request.school
  return { via: 'account', userId: person.id, roles, origin, requestId: request.id }
}

/** Each is an entry of the audit log. */
export async function countOwnChange(visit: SignedInVisit): Promise<void> {
  const { context, reply, session } = visit
  const throttleKey = context.keyring.key('sign-in-throttle')
  const wait = await countRegistration(visit.db, throttleKey, session.person.id)
  if (wait === 0) return
  reply.header('retry-after', wait)
  throw new TooManyRequestsError(wait)
}
