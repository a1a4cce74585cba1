import { startOfUuidv7 } from '../../foundation/crypto/random.ts'

// Pairs and authorizations have ids that begin with the time when they were made, so the primary key finds those of a time.

export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Ids that were made before this time are lower. */
export function lowestIdAt(time: number): string {
  return `${startOfUuidv7(Math.max(0, Math.floor(time)))}000-8000-000000000000`
}
