import { MIN_PASSWORD_LENGTH, type PasswordProblem } from '../../../domain/people/password-rule.ts'

export const passwordHint = `At least ${MIN_PASSWORD_LENGTH} characters. A few unrelated words make a good password.`

export const passwordProblems: Readonly<Record<PasswordProblem, string>> = {
  too_short: `Use at least ${MIN_PASSWORD_LENGTH} characters.`,
  too_long: 'This is too long. Use fewer than 1000 characters.',
  repeated: 'This repeats a short text. Use more than one.',
  common:
    'Many people use this password or one like it, so it is guessed first. Choose another one.',
  personal:
    'This is made of your name, your email address or the name of the school. Choose another one.',
}
