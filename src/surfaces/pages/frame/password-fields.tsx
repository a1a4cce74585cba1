import {
  MIN_PASSWORD_LENGTH,
  type PasswordProblem,
} from '../../../domain/people/password-strength.ts'
import { MAX_PASSWORD_BYTES } from '../../../foundation/crypto/password.ts'
import { Alert } from '../../../foundation/html/components.tsx'
import { Field } from '../../../foundation/html/form-fields.tsx'

function passwordHint(minimum: number = MIN_PASSWORD_LENGTH): string {
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

interface NewPasswordProps {
  name?: 'new_password' | 'password'
  label: 'Password' | 'New password'
  /** Characters of the shortest password. */
  minimum?: number
  error: string | undefined
  describedBy?: string | undefined
  autofocus?: boolean
}

/** The field of every form that sets a password. */
export function NewPasswordField({ minimum = MIN_PASSWORD_LENGTH, ...props }: NewPasswordProps) {
  return (
    <Field
      {...{ name: 'new_password', ...props }}
      type="password"
      autocomplete="new-password"
      hint={passwordHint(minimum)}
    />
  )
}

export type PasswordFormProblem =
  | { kind: 'missing'; current: boolean; next: boolean }
  | { kind: 'wrong_current' }
  | { kind: 'unfit'; problem: PasswordProblem }
  | { kind: 'throttled' | 'busy'; retryAfterSeconds: number }

/** A hidden field for password managers, which save a password together with its user name. */
export function AccountOfPassword({ email }: { email: string }) {
  return <input type="email" name="email" value={email} autocomplete="username" readOnly hidden />
}

export function BusyAlert() {
  return (
    <Alert tone="error" title="Please try again">
      <p>Many people are signing in right now. Your password is unchanged.</p>
    </Alert>
  )
}

export function newPasswordError(
  problem: PasswordFormProblem | undefined,
  minimum: number,
): string | undefined {
  if (problem?.kind === 'unfit') return passwordProblem(problem.problem, minimum)
  return problem?.kind === 'missing' && problem.next ? 'Enter a new password.' : undefined
}
