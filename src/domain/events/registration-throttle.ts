import { hmacSha256 } from '../../foundation/crypto/digest.ts'
import { acrossSchools, type SchoolDb } from '../../foundation/db/school-db.ts'
import { countTry } from '../people/throttle.ts'

const WINDOW_MINUTES = 60

/** Places that a member takes or gives back in an hour. Each is an entry of the audit log. */
export const MOST_REGISTRATIONS = 40

/** Counts a try of a member, and returns how many seconds to wait; 0 if it may go on. */
export async function countRegistration(
  at: SchoolDb,
  throttleKey: Buffer,
  userId: string,
): Promise<number> {
  const bucket = hmacSha256(throttleKey, `event-registration:${at.schoolId}:${userId}`)
  const limit = { bucket, failures: MOST_REGISTRATIONS }
  return await countTry(acrossSchools(at), [limit], WINDOW_MINUTES)
}
