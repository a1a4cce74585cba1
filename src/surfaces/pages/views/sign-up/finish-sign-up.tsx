import { SIGN_UP_MINUTES } from '../../../../domain/people/sign-up.ts'
import { Card, Email } from '../../../../foundation/html/components.tsx'
import { type Branding, Layout, renderPage } from '../../../../foundation/html/layout.tsx'
import { ButtonLink } from '../../../../foundation/html/site-components.tsx'
import { FirstPasswordForm, type FirstPasswordProps } from '../first-password.tsx'

interface FinishProps extends FirstPasswordProps {
  school: Branding
  action: string
}

export function finishSignUpPage(props: FinishProps): string {
  const { school, problem } = props
  return renderPage(
    <Layout title={problem ? 'Error: Your account' : 'Your account'} school={school}>
      <Card>
        <h1>Choose a password</h1>
        <p class="lead">
          Your account has the address <Email text={props.email} />.
        </p>
        <FirstPasswordForm {...props} button="Make account" />
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
        <p>A link to make an account works for {SIGN_UP_MINUTES} minutes.</p>
        <ButtonLink look="primary" href={signUpUrl}>
          Ask for a new link
        </ButtonLink>
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
        <p>
          There is an account with this email address already, or there was one until a few days
          ago.
        </p>
        <ButtonLink look="primary" href="/sign-in?return_to=%2Fsign-up">
          Sign in
        </ButtonLink>
        <p class="aside">
          <a href="/forgotten-password">Forgot your password?</a>
        </p>
      </Card>
    </Layout>,
  )
}
