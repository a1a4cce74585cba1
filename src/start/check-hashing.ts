import { findHashingProblem } from '../foundation/crypto/password-threads.ts'
import { StartError } from './start-error.ts'

/** Without argon2 the server would start, and no person could sign in. */
export function checkHashing(): void {
  if (findHashingProblem() !== undefined) throw new StartError(NO_ARGON2, INSTALL_ARGON2)
}

export const NO_ARGON2 = 'Passwords cannot be checked: argon2 for this machine is not installed.'
export const INSTALL_ARGON2 =
  'Install without --omit=optional, which leaves it out. To leave out only the embedded PostgreSQL, use --omit=peer.'
