import { MAX_PASSWORD_BYTES, normalPassword } from '../../foundation/crypto/password.ts'
import { commonPasswords } from './common-passwords.ts'
import {
  hasFewCharacters,
  isMadeOf,
  isRunsOnly,
  lengthWithoutRepetitions,
  lettersOf,
  onlyLetters,
  repeatedUnit,
  wordsOf,
} from './guessable.ts'
import { isPutTogether } from './put-together.ts'

/** For a password that is the only factor. */
export const MIN_PASSWORD_LENGTH = 15
const MIN_BESIDE_SECOND_FACTOR = 8

/** Beside a second factor a guessed password opens nothing, as long as every sign-in with it asks for the other. */
export function minimumLength(hasSecondFactor: boolean): number {
  return hasSecondFactor ? MIN_BESIDE_SECOND_FACTOR : MIN_PASSWORD_LENGTH
}

export type PasswordProblem = 'too_short' | 'too_long' | 'repeated' | 'common' | 'personal'

/** What an attacker knows about the person and the place. */
export interface PasswordContext {
  readonly email: string
  readonly name: string
  readonly school: { readonly name: string; readonly origin: string }
}

/**
 * The one rule for every way to set a password. Length, and not among the first guesses of an attacker: rules about
 * digits and signs would only make people write passwords down.
 *
 * @see NIST SP 800-63B-4 §3.1.1.2
 */
export async function findPasswordProblem(
  password: string,
  about: PasswordContext,
  minimum: number = MIN_PASSWORD_LENGTH,
): Promise<PasswordProblem | undefined> {
  const normal = normalPassword(password)
  if (isTooShort(normal, minimum)) return 'too_short'
  if (Buffer.byteLength(normal) > MAX_PASSWORD_BYTES) return 'too_long'
  const folded = normal.toLowerCase()
  const common = await commonPasswords()
  const { email, name, school } = about
  const words = wordsOf([email, name, school.name, new URL(school.origin).hostname])
  if (isMadeOf(folded, words, common)) return 'personal'
  const bodies = [folded, lettersOf(folded), onlyLetters(folded)]
  const cores = [...bodies, ...bodies.map(repeatedUnit), lettersOf(repeatedUnit(folded))]
  if (cores.some((core) => common.has(core) || common.has(reversed(core)))) return 'common'
  if (bodies.some((body) => lengthWithoutRepetitions(folded, body) < minimum)) return 'repeated'
  if (hasFewCharacters(folded)) return 'repeated'
  if (isRunsOnly(folded)) return 'common'
  // Beside a second factor, what is short is put together of little.
  if (minimum < MIN_PASSWORD_LENGTH) return undefined
  const isCheap = isPutTogether(folded, common) || isPutTogether(reversed(folded), common)
  return isCheap ? 'common' : undefined
}

/** A password from before the rule is only judged by its length: the next sign-in replaces it. */
export function isTooShort(password: string, minimum: number = MIN_PASSWORD_LENGTH): boolean {
  return [...normalPassword(password)].length < minimum
}

function reversed(text: string): string {
  return [...text].reverse().join('')
}
