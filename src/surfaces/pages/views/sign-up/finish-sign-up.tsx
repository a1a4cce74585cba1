import { SIGN_UP_MINUTES } from '../../../../domain/people/sign-up/sign-up-link.ts'
import { Button, Card, Email, Field, Form } from '../../../../foundation/html/components.tsx'
import { type Branding, Layout } from '../../../../foundation/html/layout.tsx'
import { renderPage } from '../../../../foundation/html/render.tsx'
import { AccountOfPassword, BusyAlert, type PasswordFormProblem } from '../change-password.tsx'
import { NewPasswordField } from '../new-password-field.tsx'
import { passwordProblem } from '../password-words.ts'

export type FinishProblem =
  | { kind: 'name'; problem: string }
  | Extract<PasswordFormProblem, { kind: 'unfit' }>
  | { kind: 'busy'; retryAfterSeconds: number }

interface FinishProps {
  school: Branding
  action: string
  formToken: string
  link: string
  email: string
  name: string
  problem?: FinishProblem | undefined
}

export function finishSignUpPage(props: FinishProps): string {
  const { school, problem } = props
  const nameError = problem?.kind === 'name' ? problem.problem : undefined
  const passwordError = problem?.kind === 'unfit' ? passwordProblem(problem.problem) : undefined
  return renderPage(
    <Layout title={problem ? 'Error: Your account' : 'Your account'} school={school}>
      <Card>
        <h1>Choose a password</h1>
        <p class="lead">
          Your account has the address <Email text={props.email} />.
        </p>
        {problem?.kind === 'busy' && <BusyAlert />}
        <Form action={props.action} formToken={props.formToken} hidden={{ link: props.link }}>
          <AccountOfPassword email={props.email} />
          <Field
            name="name"
            label="Your name"
            type="text"
            autocomplete="name"
            value={props.name}
            error={nameError}
            autofocus={nameError !== undefined}
          />
          <NewPasswordField
            label="Password"
            error={passwordError}
            autofocus={nameError === undefined}
          />
          <Button look="primary">Make account</Button>
        </Form>
      </Card>
    </Layout>,
  )
}

/** Answers 400. */
export function linkExpiredPage(school: Branding, signUpUrl: string): string {
  return renderPage(
    <Layout title="This link has expired" school={school}>
      <Card>
        <h1>This link has expired</h1>
        <p>A link to make an account works within {SIGN_UP_MINUTES} minutes.</p>
        <p>
          <a href={signUpUrl}>Ask for a new link</a>
        </p>
      </Card>
    </Layout>,
  )
}

/** Answers 400. The reader has proven the mailbox. */
export function signUpKnownPage(school: Branding): string {
  return renderPage(
    <Layout title="You have an account" school={school}>
      <Card>
        <h1>You have an account</h1>
        <p>There is an account with this email address already, and it has a password.</p>
        <p>
          <a href="/sign-in?return_to=%2Fsign-up">Sign in</a>
        </p>
        <p class="aside">
          <a href="/forgotten-password">Forgot your password?</a>
        </p>
      </Card>
    </Layout>,
  )
}
