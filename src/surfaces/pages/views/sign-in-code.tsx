import { LOST_FACTOR_DAYS } from '../../../domain/people/factors/lost-factors.ts'
import { Alert, Button, Card, Email, Field, Form } from '../../../foundation/html/components.tsx'
import { Checkbox } from '../../../foundation/html/form-fields.tsx'
import { type Branding, Layout, renderPage } from '../../../foundation/html/layout.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { waitInWords } from './words.ts'

export const SIGN_IN_CODE_PATH = '/sign-in/code'

export type CodeProblem =
  | { kind: 'missing' }
  | { kind: 'wrong' }
  | { kind: 'throttled'; retryAfterSeconds: number }

export type LostCodes =
  | { kind: 'ask' }
  | { kind: 'waiting'; dueAt: Date; timeZone: string }
  /** No school may write to the person. */
  | { kind: 'no_school' }
  | { kind: 'throttled'; retryAfterSeconds: number }

interface SignInCodeProps {
  school: Branding
  formToken: string
  /** Sealed: the person has just given the first factor. */
  step: string
  email: string
  /** The days that a trusted browser is not asked; undefined if this person is asked each time. */
  trustDays: number | undefined
  /** Where the person continues. */
  afterSignIn: {
    sealedRequest?: string | undefined
    returnTo?: string | undefined
    keptForm?: string | undefined
  }
  problem?: CodeProblem | undefined
  /** Undefined if the factor can be removed by an administrator only. */
  lost: LostCodes | undefined
}

/** Between a right password and the session that it asked for. */
export function signInCodePage(props: SignInCodeProps): string {
  const { school, formToken, step, afterSignIn, problem, trustDays } = props
  const hidden = {
    step,
    request: afterSignIn.sealedRequest,
    return_to: afterSignIn.returnTo,
    kept_form: afterSignIn.keptForm,
  }
  return renderPage(
    <Layout title={problem ? 'Error: Enter your code' : 'Enter your code'} school={school}>
      <Card>
        <h1>Enter your code</h1>
        <p class="lead">
          Your authenticator app shows a code of six digits for <Email text={props.email} />.
        </p>
        {problem?.kind === 'throttled' && <TooManyCodes problem={problem} />}
        <Form action={SIGN_IN_CODE_PATH} formToken={formToken} hidden={hidden}>
          <CodeField problem={problem} />
          {trustDays !== undefined && (
            <Checkbox
              id="trust"
              name="trust"
              value="yes"
              label={`Trust this browser for ${trustDays} days`}
              hint="Your password alone is then enough here. Choose this only on a device that nobody else uses."
              checked={false}
            />
          )}
          <Button look="primary">Continue</Button>
        </Form>
        <NoCode {...props} hidden={hidden} />
      </Card>
    </Layout>,
  )
}

type NoCodeProps = SignInCodeProps & { hidden: Record<string, string | undefined> }

function NoCode({ lost, formToken, hidden }: NoCodeProps) {
  if (lost?.kind === 'waiting') {
    return (
      <Alert tone="success" title="We have noted it, and sent you an email">
        <p>
          Your authenticator app will be removed on{' '}
          <Moment at={lost.dueAt} timeZone={lost.timeZone} />: then your password alone signs you
          in. We send you an email every day until then.
        </p>
      </Alert>
    )
  }
  if (lost?.kind === 'throttled') {
    return (
      <Alert tone="error" title="Too many attempts">
        <p>Wait {waitInWords(lost.retryAfterSeconds)} before you report it again.</p>
      </Alert>
    )
  }
  if (lost?.kind !== 'ask') {
    return (
      <p class="aside">
        No phone and no recovery code? The administrator of this server can switch your second
        factor off.
      </p>
    )
  }
  return (
    <details class="aside">
      <summary>No phone and no recovery code?</summary>
      <p>
        We remove the authenticator app and your passkeys after {LOST_FACTOR_DAYS} days, at all your
        schools. You get an email every day until then, and whoever still has one of them, or reads
        your mail, can stop it.
      </p>
      <Form action={SIGN_IN_CODE_PATH} formToken={formToken} hidden={{ ...hidden, lost: 'yes' }}>
        <Button look="danger">Remove them in {String(LOST_FACTOR_DAYS)} days</Button>
      </Form>
    </details>
  )
}

/** Asks for a code of the app or a recovery code. */
export function CodeField({ problem }: { problem?: CodeProblem | undefined }) {
  return (
    <Field
      name="code"
      label="Code"
      type="text"
      autocomplete="one-time-code"
      inputmode="numeric"
      hint="Or one of your recovery codes."
      error={codeError(problem)}
      autofocus
    />
  )
}

export function TooManyCodes({ problem }: { problem: { retryAfterSeconds: number } }) {
  return (
    <Alert tone="error" title="Too many wrong codes">
      <p>
        Wait {waitInWords(problem.retryAfterSeconds)} before you try again, or use a recovery code.
        If you did not type them, change your password: another person knows it.
      </p>
    </Alert>
  )
}

function codeError(problem: CodeProblem | undefined): string | undefined {
  if (problem?.kind === 'missing') return 'Enter the code.'
  if (problem?.kind !== 'wrong') return undefined
  return 'This code is wrong or was used before. Check it, or wait for the next one.'
}
