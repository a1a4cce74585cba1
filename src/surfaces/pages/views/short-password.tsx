import { Button, Card, Form } from '../../../foundation/html/components.tsx'
import { type Branding, Layout, renderPage } from '../../../foundation/html/layout.tsx'
import {
  AccountOfPassword,
  BusyAlert,
  newPasswordError,
  type PasswordFormProblem,
} from './change-password.tsx'
import { NewPasswordField } from './new-password-field.tsx'

export const SHORT_PASSWORD_PATH = '/sign-in/new-password'

interface ShortPasswordProps {
  school: Branding
  formToken: string
  /** Sealed: the person has just typed the old password. */
  proof: string
  email: string
  /** Characters of the shortest password. */
  minimum: number
  /** Where the person continues. */
  afterSignIn: {
    sealedRequest?: string | undefined
    returnTo?: string | undefined
    keptForm?: string | undefined
  }
  problem?: PasswordFormProblem | undefined
}

/** Between a right password that is too short and the session that it asked for. */
export function shortPasswordPage(props: ShortPasswordProps): string {
  const { school, formToken, proof, email, minimum, afterSignIn, problem } = props
  return renderPage(
    <Layout title={problem ? 'Error: New password' : 'New password'} school={school}>
      <Card>
        <h1>Choose a longer password</h1>
        <p class="lead">
          Your password is right, but short ones are guessed too easily. Passwords now have at least{' '}
          {minimum} characters. Choose a new one to continue.
        </p>
        {problem?.kind === 'busy' && <BusyAlert />}
        <Form
          action={SHORT_PASSWORD_PATH}
          formToken={formToken}
          hidden={{
            proof,
            request: afterSignIn.sealedRequest,
            return_to: afterSignIn.returnTo,
            kept_form: afterSignIn.keptForm,
          }}
        >
          <AccountOfPassword email={email} />
          <NewPasswordField
            label="New password"
            minimum={minimum}
            error={newPasswordError(problem, minimum)}
            autofocus
          />
          <Button look="primary">Save and continue</Button>
        </Form>
      </Card>
    </Layout>,
  )
}
