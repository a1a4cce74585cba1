import type { PasskeyQuestion } from '../../../domain/people/passkeys/add-passkey.ts'
import {
  Alert,
  Avatar,
  Button,
  Card,
  Email,
  Field,
  Form,
  Name,
} from '../../../foundation/html/components.tsx'
import { type Branding, Layout, renderPage } from '../../../foundation/html/layout.tsx'
import { AccountOfPassword } from './change-password.tsx'
import { type Interrupted, InterruptedAlert } from './interrupted.tsx'
import { LOST_FACTOR_PATH } from './lost-factor.tsx'
import { PASSKEY_SCRIPT, PasskeyButton, PasskeyUnable, passkeyFields } from './passkey-parts.tsx'
import type { Person } from './person.tsx'
import { CodeField, type CodeProblem } from './sign-in-code.tsx'
import { waitInWords } from './words.ts'

export const CONFIRM_PATH = '/confirm'
export const CONFIRM_PASSKEY_PATH = '/confirm/passkey'

/** What a person confirms with. */
export type Asked = 'code' | 'password' | 'passkey'

export type ConfirmProblem =
  | { kind: 'missing' | 'mismatch' | 'busy' }
  | { kind: 'passkey_missing' | 'passkey_refused' | 'passkey_expired' | 'passkey_unverified' }
  | { kind: 'throttled'; retryAfterSeconds: number }

interface ConfirmProps {
  school: Branding
  formToken: string
  asked: Asked
  /** The password is not enough. */
  byFactor?: boolean
  /** The device of an owner or admin did not check who holds it. */
  deviceAlone?: boolean
  /** For a device of a person who has passkeys here. */
  passkey?: PasskeyQuestion | undefined
  person: Person
  /** A page of ours to continue to. */
  returnTo: string
  /** The app that waits instead, on the consent page. */
  sealedRequest?: string | undefined
  /** The sealed form that has to be confirmed. */
  keptForm?: string | undefined
  interrupted?: Interrupted | undefined
  /** The page to go to instead. */
  cancelUrl: string
  forgotPasswordUrl?: string | undefined
  /** Of passkeys at other schools. */
  elsewhereUrl?: string | undefined
  problem?: ConfirmProblem | undefined
}

const TITLE = 'Confirm that it is you'

const LEADS: Readonly<Record<Asked, string>> = {
  code: 'What comes next needs a code from your authenticator app, and you entered none in the last ten minutes.',
  password:
    'What comes next needs a recent sign-in, and yours is more than ten minutes old. Enter your password to continue.',
  passkey:
    'What comes next needs a recent sign-in, and yours is more than ten minutes old. Use your passkey to continue.',
}

const BY_FACTOR =
  'What comes next changes how you sign in. You have a passkey, so your password is not enough for it: use your passkey to continue.'

/** What the page takes instead of a passkey. */
const OTHERWISE: Readonly<Partial<Record<Asked, string>>> = {
  code: 'type a code',
  password: 'use your password',
}

/** Between a person who is signed in and something that a stolen session must not do. */
export function confirmPage(props: ConfirmProps): string {
  const { school, person, problem } = props
  return renderPage(
    <Layout
      title={problem ? `Error: ${TITLE}` : TITLE}
      school={school}
      script={props.passkey && PASSKEY_SCRIPT}
    >
      <Card>
        <h1>{TITLE}</h1>
        <p class="lead">{leadOf(props)}</p>
        <div class="person">
          <Avatar name={person.name || person.email} url={person.avatarUrl} />
          <p>
            <span class="visually-hidden">Signed in as </span>
            <Name text={person.name} fallback="You" />
            <span class="email">
              <Email text={person.email} />
            </span>
          </p>
        </div>
        {props.interrupted && <InterruptedAlert title="Not sent yet" kind={props.interrupted} />}
        {problem && <Problem problem={problem} asked={props.asked} />}
        <Form
          action={CONFIRM_PATH}
          formToken={props.formToken}
          hidden={{
            return_to: props.returnTo,
            request: props.sealedRequest,
            kept_form: props.keptForm,
            by_factor: props.byFactor ? 'yes' : undefined,
            ...(props.passkey && passkeyFields(props.passkey)),
          }}
        >
          {props.asked === 'code' && <CodeField problem={codeProblem(problem)} />}
          {props.asked === 'password' && (
            <>
              <AccountOfPassword email={person.email} />
              <Field
                name="password"
                label="Password"
                type="password"
                autocomplete="current-password"
                error={passwordError(problem)}
                autofocus
              />
            </>
          )}
          {props.asked === 'passkey' ? (
            <PasskeyUnable>This page cannot use your passkey here</PasskeyUnable>
          ) : (
            <Button look="primary">Continue</Button>
          )}
          {props.passkey && (
            <PasskeyButton
              kind="prove"
              question={props.passkey}
              action={CONFIRM_PASSKEY_PATH}
              look={props.asked === 'passkey' ? 'primary' : 'plain'}
              otherwise={OTHERWISE[props.asked]}
            >
              Use a passkey
            </PasskeyButton>
          )}
        </Form>
        {props.elsewhereUrl !== undefined && (
          <p class="aside">
            <a href={props.elsewhereUrl}>Use a passkey of another school</a>
          </p>
        )}
        {(props.asked === 'code' || props.byFactor) && (
          <p class="aside">
            <a href={LOST_FACTOR_PATH}>You no longer have it?</a>
          </p>
        )}
        <p class="aside">
          <a href={props.cancelUrl}>Cancel</a>
        </p>
        {props.asked !== 'code' && !props.byFactor && props.forgotPasswordUrl !== undefined && (
          <p class="aside">
            <a href={props.forgotPasswordUrl}>
              {props.asked === 'password' ? 'Forgot your password?' : 'Choose a password by email'}
            </a>
          </p>
        )}
      </Card>
    </Layout>,
  )
}

function leadOf({ asked, byFactor, deviceAlone }: ConfirmProps): string {
  if (deviceAlone) {
    return 'You signed in with a passkey, and your device did not check that it is you. What comes next needs more.'
  }
  return asked === 'passkey' && byFactor ? BY_FACTOR : LEADS[asked]
}

function codeProblem(problem: ConfirmProblem | undefined): CodeProblem | undefined {
  if (problem?.kind === 'missing') return { kind: 'missing' }
  return problem?.kind === 'mismatch' ? { kind: 'wrong' } : undefined
}

function passwordError(problem: ConfirmProblem | undefined): string | undefined {
  if (problem?.kind === 'missing') return 'Enter your password.'
  return problem?.kind === 'mismatch' ? 'This is not your password.' : undefined
}

function Problem({ problem, asked }: { problem: ConfirmProblem; asked: Asked }) {
  switch (problem.kind) {
    case 'throttled':
      return (
        <Alert tone="error" title="Too many attempts">
          <p>Wait {waitInWords(problem.retryAfterSeconds)} before you try again.</p>
        </Alert>
      )
    case 'busy':
      return (
        <Alert tone="error" title="Please try again">
          <p>Many people are signing in right now. Your password was not checked.</p>
        </Alert>
      )
    case 'passkey_missing':
      return (
        <Alert tone="error" title="Use your passkey">
          <p>Your browser sent no answer from it. Switch JavaScript on and try again.</p>
        </Alert>
      )
    case 'passkey_refused':
      return (
        <Alert tone="error" title="This passkey was not accepted">
          <p>
            It may have been removed, or belong to another person.{' '}
            {asked === 'password' ? 'Use another one, or your password.' : 'Use another one.'}
          </p>
        </Alert>
      )
    case 'passkey_expired':
      return (
        <Alert tone="error" title="Please use your passkey again">
          <p>This page had been open for too long, or was sent twice.</p>
        </Alert>
      )
    case 'passkey_unverified':
      return (
        <Alert tone="error" title="Your device did not check that it is you">
          <p>Owners and admins need a passkey that asks for a fingerprint, a face or a PIN.</p>
        </Alert>
      )
    default:
      return null
  }
}
