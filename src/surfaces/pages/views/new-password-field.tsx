import { MIN_PASSWORD_LENGTH } from '../../../domain/people/password-strength.ts'
import { Field } from '../../../foundation/html/components.tsx'
import { passwordHint } from './password-words.ts'

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
