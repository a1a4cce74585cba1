import { MAX_PASSWORD_BYTES } from '../../foundation/crypto/password.ts'
import { normalEmail } from './person.ts'

export const MIN_PASSWORD_LENGTH = 10

export type PasswordProblem = 'too_short' | 'too_long' | 'same_as_email'

/**
 * Only the length counts: rules about digits and signs make people write passwords down.
 *
 * @see NIST SP 800-63B §3.1.1.2
 */
export function findPasswordProblem(password: string, email: string): PasswordProblem | undefined {
  if ([...password].length < MIN_PASSWORD_LENGTH) return 'too_short'
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return 'too_long'
  if (normalEmail(password) === normalEmail(email)) return 'same_as_email'
  return undefined
}
