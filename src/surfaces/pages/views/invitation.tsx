import { INVITATION_DAYS } from '../../../domain/people/invitations/invitation-link.ts'
import { Button, Card, Email, Field, Form, Name } from '../../../foundation/html/components.tsx'
import { type Branding, Layout } from '../../../foundation/html/layout.tsx'
import { renderPage } from '../../../foundation/html/render.tsx'
import { ButtonLink } from '../../../foundation/html/site-components.tsx'
import { AccountOfPassword, BusyAlert } from './change-password.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { passwordProblem } from './password-words.ts'
import type { FinishProblem } from './sign-up/finish-sign-up.tsx'

export const INVITATION_PATH = '/invitation'

interface InvitationProps {
  school: Branding
  formToken: string
  link: string
  email: string
  name: string
  problem?: FinishProblem | undefined
}

/** For a person who has nothing to sign in with yet. */
export function invitationPage(props: InvitationProps): string {
  const { school, problem } = props
  const nameError = problem?.kind === 'name' ? problem.problem : undefined
  const passwordError = problem?.kind === 'unfit' ? passwordProblem(problem.problem) : undefined
  return renderPage(
    <Layout title={problem ? 'Error: Invitation' : 'Invitation'} school={school}>
      <Card>
        <h1>Choose a password</h1>
        <p class="lead">
          <Name text={school.name} fallback="This school" /> invited you. You will sign in with{' '}
          <Email text={props.email} /> and this password.
        </p>
        {problem?.kind === 'busy' && <BusyAlert />}
        <Form action={INVITATION_PATH} formToken={props.formToken} hidden={{ link: props.link }}>
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
          <Button look="primary">Accept invitation</Button>
        </Form>
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
          An invitation works within {INVITATION_DAYS} days, while the school has you on its list.
          Ask <Name text={school.name} fallback="the school" /> to send it again.
        </p>
        <p>
          If you have accepted it already, <a href="/sign-in">sign in</a>.
        </p>
      </Card>
    </Layout>,
  )
}
