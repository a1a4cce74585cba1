import { Alert, Button, Card, Field, Form, Name } from '../../../foundation/html/components.tsx'
import { type Branding, Layout } from '../../../foundation/html/layout.tsx'
import { renderPage } from '../../../foundation/html/render.tsx'
import { AccountOfPassword, BusyAlert, type PasswordFormProblem } from './change-password.tsx'
import { passwordHint, passwordProblems } from './password-words.ts'
import { waitInWords } from './words.ts'

export type ForgottenState =
  | { kind: 'asking' }
  | { kind: 'missing' }
  | { kind: 'throttled'; retryAfterSeconds: number }
  | { kind: 'sent' }
  /** This installation sends no mail. */
  | { kind: 'unavailable' }

interface ForgottenProps {
  school: Branding
  formToken: string
  state: ForgottenState
  /** Where they were going when they had forgotten it. */
  afterSignIn: { sealedRequest?: string | undefined; returnTo?: string | undefined }
  /** Sign-in, which goes on to the same page afterwards. */
  signInUrl: string
}

export function forgottenPasswordPage(props: ForgottenProps): string {
  const { school, formToken, state, afterSignIn, signInUrl } = props
  if (state.kind === 'sent')
    return sentPage(school, signInUrl, afterSignIn.sealedRequest !== undefined)
  if (state.kind === 'unavailable') return unavailablePage(school, signInUrl)
  const wrong = state.kind !== 'asking'
  return renderPage(
    <Layout title={wrong ? 'Error: Forgotten password' : 'Forgotten password'} school={school}>
      <Card>
        <h1>Forgotten your password?</h1>
        <p class="lead">We send you a link to choose a new one.</p>
        {state.kind === 'throttled' && (
          <Alert tone="error" title="Too many requests">
            <p>
              Look for the mail that is already on its way, or wait{' '}
              {waitInWords(state.retryAfterSeconds)}.
            </p>
          </Alert>
        )}
        <Form
          action="/forgotten-password"
          formToken={formToken}
          hidden={{ request: afterSignIn.sealedRequest, return_to: afterSignIn.returnTo }}
        >
          <Field
            name="email"
            label="Email address"
            type="email"
            autocomplete="username"
            error={state.kind === 'missing' ? 'Enter your email address.' : undefined}
            autofocus
          />
          <Button look="primary">Send the link</Button>
        </Form>
        <p class="aside">
          <a href={signInUrl}>Back to sign-in</a>
        </p>
      </Card>
    </Layout>,
  )
}

function sentPage(school: Branding, signInUrl: string, appWaits: boolean): string {
  return renderPage(
    <Layout title="Check your email" school={school}>
      <Card>
        <h1>Check your email</h1>
        <p>
          If there is an account for this address, a mail is on its way. Its link works once, within
          an hour.
        </p>
        <p>Nothing there? Look among unwanted mail, or try another of your addresses.</p>
        {appWaits && <p>Keep this page: with your new password, go on to the app from here.</p>}
        <p class="aside">
          <a href={signInUrl}>Back to sign-in</a>
        </p>
      </Card>
    </Layout>,
  )
}

function unavailablePage(school: Branding, signInUrl: string): string {
  return renderPage(
    <Layout title="Forgotten password" school={school}>
      <Card>
        <h1>Forgotten your password?</h1>
        <p>
          This server sends no mail, so it cannot send you a link. Ask{' '}
          <Name text={school.name} fallback="your school" /> for help.
        </p>
        <p class="aside">
          <a href={signInUrl}>Back to sign-in</a>
        </p>
      </Card>
    </Layout>,
  )
}

interface ResetProps {
  school: Branding
  formToken: string
  token: string
  email: string
  problem?: PasswordFormProblem | undefined
}

export function resetPasswordPage(props: ResetProps): string {
  const { school, formToken, token, problem } = props
  return renderPage(
    <Layout title={problem ? 'Error: New password' : 'New password'} school={school}>
      <Card>
        <h1>Choose a new password</h1>
        <p class="lead">You will be signed out everywhere, and then sign in with it.</p>
        {problem?.kind === 'busy' && <BusyAlert />}
        <Form action="/reset-password" formToken={formToken} hidden={{ token }}>
          <AccountOfPassword email={props.email} />
          <Field
            name="new_password"
            label="New password"
            type="password"
            autocomplete="new-password"
            hint={passwordHint}
            error={problem?.kind === 'unfit' ? passwordProblems[problem.problem] : undefined}
            autofocus
          />
          <Button look="primary">Set the password</Button>
        </Form>
      </Card>
    </Layout>,
  )
}

/** Answers 400. */
export function resetExpiredPage(school: Branding): string {
  return renderPage(
    <Layout title="This link has expired" school={school}>
      <Card>
        <h1>This link has expired</h1>
        <p>A link for a new password works once, within an hour. Your password is unchanged.</p>
        <p>
          <a href="/forgotten-password">Ask for a new link</a>
        </p>
      </Card>
    </Layout>,
  )
}
