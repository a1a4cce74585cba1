import { Alert, Button, Card, Email, Field, Form } from '../../../foundation/html/components.tsx'
import { Checkbox } from '../../../foundation/html/form-fields.tsx'
import { type Branding, Layout } from '../../../foundation/html/layout.tsx'
import { renderPage } from '../../../foundation/html/render.tsx'
import { waitInWords } from './words.ts'

export const SIGN_IN_CODE_PATH = '/sign-in/code'

export type CodeProblem =
  | { kind: 'missing' }
  | { kind: 'wrong' }
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
}

/** Between a right password and the session that it asked for. */
export function signInCodePage(props: SignInCodeProps): string {
  const { school, formToken, step, afterSignIn, problem, trustDays } = props
  return renderPage(
    <Layout title={problem ? 'Error: Enter your code' : 'Enter your code'} school={school}>
      <Card>
        <h1>Enter your code</h1>
        <p class="lead">
          Your authenticator app shows a code of six digits for <Email text={props.email} />.
        </p>
        {problem?.kind === 'throttled' && <TooManyCodes problem={problem} />}
        <Form
          action={SIGN_IN_CODE_PATH}
          formToken={formToken}
          hidden={{
            step,
            request: afterSignIn.sealedRequest,
            return_to: afterSignIn.returnTo,
            kept_form: afterSignIn.keptForm,
          }}
        >
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
        <p class="aside">
          No phone and no recovery code? The administrator of this server can switch your second
          factor off.
        </p>
      </Card>
    </Layout>,
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
