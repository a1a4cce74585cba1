import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MetadataClients } from '../../../domain/clients/metadata-clients.ts'
import type { PendingAuthorization } from '../../../domain/grants/pending-authorization.ts'
import type { PasskeyQuestion } from '../../../domain/people/passkeys/add-passkey.ts'
import { askForProof } from '../../../domain/people/passkeys/prove-passkey.ts'
import { relyingPartyOf } from '../../../domain/people/passkeys/verify.ts'
import { Address, Alert, Button, Form, Name } from '../../../foundation/html/components.tsx'
import { expiredRequestPage } from '../../../foundation/html/error-page.tsx'
import { Field } from '../../../foundation/html/form-fields.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { plainText } from '../../../foundation/text/plain-text.ts'
import { brandingOf } from '../../../gate/branding.ts'
import { findRequestingClient } from '../../../gate/requesting-client.ts'
import { queryOf } from '../frame/layout.tsx'
import { sendPage } from '../frame/page-request.ts'
import { type Interrupted, InterruptedAlert, NewSchoolSteps } from '../frame/parts.tsx'
import {
  challengeFormOf,
  PASSKEY_SCRIPT,
  PasskeyButton,
  passkeyFields,
} from '../frame/passkey-parts.tsx'
import type { Visit } from '../frame/visit.ts'
import { keepAfterSignIn } from './after-sign-in.ts'
import { SIGN_UP_PATH } from './sign-up-form.tsx'

interface SignInState {
  readonly sealedRequest?: string | undefined
  readonly pending?: PendingAuthorization | undefined
  /** A page of ours that needs the sign-in. */
  readonly returnTo: string | undefined
  /** The sealed form that the person sent when the session had ended. */
  readonly keptForm?: string | undefined
  readonly interrupted?: Interrupted | undefined
  readonly email?: string | undefined
  readonly problem?: SignInProblem
}

export async function showSignIn(
  visit: Visit,
  metadataClients: MetadataClients,
  state: SignInState,
  status = 200,
): Promise<FastifyReply> {
  const { context, request } = visit
  const formToken = visit.formToken()
  const { sealedRequest, returnTo } = state
  const sendsMail = context.mailer !== undefined
  const party = relyingPartyOf(request.school.origin, context.passkeys)
  const page = signInPage({
    school: brandingOf(request.school),
    action: '/sign-in',
    formToken,
    passkey: askForProof(challengeFormOf(context, request, formToken), party),
    sealedRequest,
    returnTo,
    keptForm: state.keptForm,
    interrupted: state.interrupted ?? (queryOf(request).has('files') ? 'files' : undefined),
    newPassword: queryOf(request).has('reset'),
    newSchool: queryOf(request).has('new_school'),
    forgotPasswordUrl: sendsMail
      ? keepAfterSignIn('/forgotten-password', { sealedRequest, returnTo })
      : undefined,
    signUpUrl:
      sendsMail && request.school.signUp
        ? keepAfterSignIn(SIGN_UP_PATH, { sealedRequest, returnTo })
        : undefined,
    email: state.email ?? state.pending?.loginHint,
    problem: state.problem,
    client: await clientAsking(metadataClients, request, state.pending),
  })
  return visit.scriptedPage(PASSKEY_SCRIPT, page, status, 'authorization')
}

async function clientAsking(
  metadataClients: MetadataClients,
  request: FastifyRequest,
  pending: PendingAuthorization | undefined,
) {
  if (pending === undefined) return undefined
  const found = await findRequestingClient(metadataClients, request, pending.clientId)
  if (found.kind !== 'known') return undefined
  const { name, kind, clientId } = found.client
  return kind === 'document' ? { name, host: new URL(clientId).host } : { name }
}

export function expiredRequest(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const page = expiredRequestPage({ reference: request.id, school: brandingOf(request.school) })
  return sendPage(reply, request, 'authorization', page, 400)
}

export type SignInProblem =
  /** Does not say which of the two is wrong or whether the account exists. */
  | { kind: 'mismatch' }
  | { kind: 'missing'; email: boolean; password: boolean }
  | { kind: 'throttled'; retryAfterSeconds: number }
  | { kind: 'busy' }
  /** `unknown`: the browser is told that no passkey here has this id. */
  | { kind: 'passkey_refused'; unknown?: { rpId: string; credentialId: string } | undefined }
  | { kind: 'passkey_expired' }
  /** The device asked for no fingerprint, face or PIN, which owners and admins need. */
  | { kind: 'passkey_unverified' }

export const PASSKEY_SIGN_IN_PATH = '/sign-in/passkey'

interface SignInProps {
  school: Branding
  action: string
  formToken: string
  /** For a device that has a passkey of this school. */
  passkey: PasskeyQuestion
  /** The pending authorization of the app that waits. */
  sealedRequest?: string | undefined
  /** A page of ours to continue to if no app waits. */
  returnTo?: string | undefined
  /** The sealed form that the person sent when the session had ended. */
  keptForm?: string | undefined
  interrupted?: Interrupted | undefined
  /** The email that the person typed before, or the app's `login_hint`. */
  email?: string | undefined
  problem?: SignInProblem | undefined
  /** The app that waits for this sign-in; with its host if the app chose its own name. */
  client?: { name: string; host?: string | undefined } | undefined
  forgotPasswordUrl?: string | undefined
  /** Where the school lets people make an account. */
  signUpUrl?: string | undefined
  /** The person has just chosen a new password. */
  newPassword?: boolean
  /** The school was made a moment ago, by its owner. */
  newSchool?: boolean
}

const problemId = 'problem'
const missingEmail = 'Enter your email address.'
const missingPassword = 'Enter your password.'

export function signInPage(props: SignInProps): string {
  const { school, problem, client, forgotPasswordUrl, signUpUrl } = props
  const email = plainText(props.email ?? '', 254)
  const missing = problem?.kind === 'missing' ? problem : undefined
  const describedBy = problem === undefined || missing ? undefined : problemId
  const startWithPassword = email !== '' && !missing?.email
  return renderPage(
    <CardPage
      title="Sign in"
      isWrong={problem !== undefined}
      school={school}
      script={PASSKEY_SCRIPT}
    >
      {client && <WaitingApp {...client} />}
      {props.interrupted && (
        <InterruptedAlert title="You were signed out" kind={props.interrupted} />
      )}
      {props.newPassword && !problem && (
        <Alert tone="success" title="Your new password is set">
          <p>Sign in with it.</p>
        </Alert>
      )}
      {props.newSchool && !problem && (
        <Alert tone="success" title="The school is ready">
          <p>Sign in with the email address and the password that you chose.</p>
          <NewSchoolSteps />
        </Alert>
      )}
      {problem && <Problem problem={problem} />}
      <Form
        action={props.action}
        formToken={props.formToken}
        hidden={{
          request: props.sealedRequest,
          return_to: props.returnTo,
          kept_form: props.keptForm,
          ...passkeyFields(props.passkey),
        }}
      >
        <Field
          name="email"
          label="Email address"
          type="email"
          autocomplete="username webauthn"
          value={email}
          error={missing?.email ? missingEmail : undefined}
          describedBy={describedBy}
          autofocus={!startWithPassword}
        />
        <Field
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          error={missing?.password ? missingPassword : undefined}
          describedBy={describedBy}
          autofocus={startWithPassword}
        />
        <Button look="primary">Sign in</Button>
        <PasskeyButton
          kind="prove"
          question={props.passkey}
          action={PASSKEY_SIGN_IN_PATH}
          waits
          look="plain"
          otherwise="use your password"
        >
          Use a passkey
        </PasskeyButton>
      </Form>
      {forgotPasswordUrl !== undefined && (
        <p class="aside">
          <a href={forgotPasswordUrl}>Forgot your password?</a>
        </p>
      )}
      {signUpUrl !== undefined && (
        <p class="aside">
          New here? <a href={signUpUrl}>Make an account</a>
        </p>
      )}
    </CardPage>,
  )
}

function WaitingApp({ name, host }: { name: string; host?: string | undefined }) {
  return (
    <p class="lead">
      to continue to <Name text={name} fallback="an app without a name" />
      {host !== undefined && (
        <span class="line">
          published at <Address text={host} />
        </span>
      )}
    </p>
  )
}

function Problem({ problem }: { problem: SignInProblem }) {
  switch (problem.kind) {
    case 'mismatch':
      return (
        <Alert id={problemId} tone="error" title="Email address and password do not match">
          <p>Check both and try again.</p>
        </Alert>
      )
    case 'missing':
      return (
        <Alert id={problemId} tone="error" title="Something is missing">
          {problem.email && <a href="#email">{missingEmail}</a>}
          {problem.password && <a href="#password">{missingPassword}</a>}
        </Alert>
      )
    case 'throttled':
      return (
        <Alert id={problemId} tone="error" title="Too many attempts">
          <p>
            To keep this account safe, wait {inWords(problem.retryAfterSeconds)} before you try
            again.
          </p>
        </Alert>
      )
    case 'busy':
      return (
        <Alert id={problemId} tone="error" title="Many people are signing in right now">
          <p>We could not check your password just now. Try again in a few seconds.</p>
        </Alert>
      )
    case 'passkey_refused':
      return (
        <Alert id={problemId} tone="error" title="This passkey was not accepted">
          <p
            data-passkey-unknown={
              problem.unknown === undefined ? undefined : JSON.stringify(problem.unknown)
            }
          >
            It may have been removed, or belong to another school. Use another one, or your
            password.
          </p>
        </Alert>
      )
    case 'passkey_expired':
      return (
        <Alert id={problemId} tone="error" title="Please use your passkey again">
          <p>This page had been open for too long, or was sent twice.</p>
        </Alert>
      )
    case 'passkey_unverified':
      return (
        <Alert id={problemId} tone="error" title="Your device did not check that it is you">
          <p>
            Owners and admins need a passkey that asks for a fingerprint, a face or a PIN. Set one
            of them up on your device, or sign in with your password.
          </p>
        </Alert>
      )
  }
}

function inWords(seconds: number): string {
  if (seconds <= 60) return 'a minute'
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 90) return `${minutes} minutes`
  return `${Math.ceil(minutes / 60)} hours`
}
