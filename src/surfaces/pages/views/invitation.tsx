import { INVITATION_DAYS } from '../../../domain/people/accept-invitation.ts'
import { Card, Email, Name } from '../../../foundation/html/components.tsx'
import { type Branding, Layout, renderPage } from '../../../foundation/html/layout.tsx'
import { ButtonLink } from '../../../foundation/html/site-components.tsx'
import { FirstPasswordForm, type FirstPasswordProps } from './first-password.tsx'

export const INVITATION_PATH = '/invitation'

/** For a person who has nothing to sign in with yet. */
export function invitationPage(props: FirstPasswordProps & { school: Branding }): string {
  const { school, problem } = props
  return renderPage(
    <Layout title={problem ? 'Error: Invitation' : 'Invitation'} school={school}>
      <Card>
        <h1>Choose a password</h1>
        <p class="lead">
          <Name text={school.name} fallback="This school" /> invited you. You will sign in with{' '}
          <Email text={props.email} /> and this password.
        </p>
        <FirstPasswordForm {...props} action={INVITATION_PATH} button="Accept invitation" />
      </Card>
    </Layout>,
  )
}

/** For a person who has an account. They have proven the mailbox, so this may be told. */
export function invitationKnownPage(school: Branding, email: string): string {
  return renderPage(
    <Layout title="Invitation" school={school}>
      <Card>
        <h1>
          Welcome to <Name text={school.name} fallback="this school" />
        </h1>
        <p>
          You already have an account with the address <Email text={email} />. Sign in with it.
        </p>
        <ButtonLink look="primary" href="/sign-in">
          Sign in
        </ButtonLink>
        <p class="aside">
          <a href="/forgotten-password">Forgot your password?</a>
        </p>
      </Card>
    </Layout>,
  )
}

/** Answers 400. */
export function invitationExpiredPage(school: Branding): string {
  return renderPage(
    <Layout title="This invitation has expired" school={school}>
      <Card>
        <h1>This invitation has expired</h1>
        <p>
          An invitation works for {INVITATION_DAYS} days, while the school has you on its list. Ask{' '}
          <Name text={school.name} fallback="the school" /> to send it again.
        </p>
        <p>
          If you have accepted it already, <a href="/sign-in">sign in</a>.
        </p>
      </Card>
    </Layout>,
  )
}
