import { MIN_PASSWORD_LENGTH, type PasswordProblem } from '../../../domain/people/password-rule.ts'

export const passwordHint = `At least ${MIN_PASSWORD_LENGTH} characters. A few unrelated words make a good password.`

export const passwordProblems: Readonly<Record<PasswordProblem, string>> = {
  too_short: `Use at least ${MIN_PASSWORD_LENGTH} characters.`,
  too_long: 'This is too long. Use fewer than 1000 characters.',
  same_as_email: 'Use something other than your email address.',
}
