import {
  MIN_PASSWORD_LENGTH,
  type PasswordProblem,
} from '../../../domain/people/password-strength.ts'
import { MAX_PASSWORD_BYTES } from '../../../foundation/crypto/password.ts'

export function passwordHint(minimum: number = MIN_PASSWORD_LENGTH): string {
  return `At least ${minimum} characters. A few unrelated words make a good password.`
}

export function passwordProblem(
  problem: PasswordProblem,
  minimum: number = MIN_PASSWORD_LENGTH,
): string {
  return problem === 'too_short' ? `Use at least ${minimum} characters.` : PROBLEMS[problem]
}

const PROBLEMS: Readonly<Record<Exclude<PasswordProblem, 'too_short'>, string>> = {
  too_long: `This is too long. Use at most ${MAX_PASSWORD_BYTES} letters; some characters count as more.`,
  repeated: 'This repeats a short text. Use more than one.',
  common:
    'Many people use this password or one like it, so it is guessed first. Choose another one.',
  personal:
    'This is made of your name, your email address or the name of the school. Choose another one.',
}
