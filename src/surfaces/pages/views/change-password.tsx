import type { PasswordProblem } from '../../../domain/people/password-strength.ts'
import { Alert, Button, Field, Form } from '../../../foundation/html/components.tsx'
import { Checkbox } from '../../../foundation/html/form-fields.tsx'
import { PageHead } from '../../../foundation/html/site-components.tsx'
import { TO_SETTINGS } from './account-paths.ts'
import { NewPasswordField } from './new-password-field.tsx'
import { passwordProblem } from './password-words.ts'
import { type SiteFrame, sitePage } from './site-layout.tsx'
import { waitInWords } from './words.ts'

export type PasswordFormProblem =
  | { kind: 'missing'; current: boolean; next: boolean }
  | { kind: 'wrong_current' }
  | { kind: 'unfit'; problem: PasswordProblem }
  | { kind: 'throttled' | 'busy'; retryAfterSeconds: number }

interface ChangePasswordProps extends SiteFrame {
  email: string
  /** Characters of the shortest password. */
  minimum: number
  problem?: PasswordFormProblem | undefined
}

export function changePasswordPage(props: ChangePasswordProps): string {
  const { problem, viewer, minimum } = props
  const newError = newPasswordError(problem, minimum)
  return sitePage({
    ...props,
    title: problem ? 'Error: Change password' : 'Change password',
    children: (
      <>
        <PageHead title="Change password" up={TO_SETTINGS} />
        <section class="panel">
          {problem?.kind === 'throttled' && (
            <Alert tone="error" title="Too many attempts">
              <p>Wait {waitInWords(problem.retryAfterSeconds)} before you try again.</p>
            </Alert>
          )}
          {problem?.kind === 'busy' && <BusyAlert />}
          <Form action="/account/password" formToken={viewer?.formToken ?? ''}>
            <AccountOfPassword email={props.email} />
            <Field
              name="current_password"
              label="Current password"
              type="password"
              autocomplete="current-password"
              error={currentError(problem)}
              autofocus={currentError(problem) !== undefined}
            />
            <NewPasswordField
              label="New password"
              minimum={minimum}
              error={newError}
              autofocus={currentError(problem) === undefined && newError !== undefined}
            />
            <p class="field-hint">
              You will be signed out in every other browser, at every school.
            </p>
            <Checkbox
              id="end_access"
              name="end_access"
              value="yes"
              label="Disconnect all apps"
              hint="At every school. Keep this on if another person may know your password: they could have connected an app. You can connect your apps again."
              checked
            />
            <p class="field-hint">
              Your passkeys stay. If another person may have used your account,{' '}
              <a href="/account/passkeys">look through them</a>: they could have added one.
            </p>
            <Button look="primary">Change password</Button>
          </Form>
        </section>
      </>
    ),
  })
}

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

function currentError(problem: PasswordFormProblem | undefined): string | undefined {
  if (problem?.kind === 'wrong_current') return 'This is not your current password.'
  return problem?.kind === 'missing' && problem.current ? 'Enter your current password.' : undefined
}

export function newPasswordError(
  problem: PasswordFormProblem | undefined,
  minimum: number,
): string | undefined {
  if (problem?.kind === 'unfit') return passwordProblem(problem.problem, minimum)
  return problem?.kind === 'missing' && problem.next ? 'Enter a new password.' : undefined
}
