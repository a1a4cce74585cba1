import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { judgeInput } from '../../../domain/operation/refusal.ts'
import { addedPerson } from '../../../domain/people/member-operations.ts'
import { readName } from '../../../domain/people/profile.ts'
import { SIGN_UP_MINUTES } from '../../../domain/people/sign-up-link.ts'
import { sha256 } from '../../../foundation/crypto/digest.ts'
import { Button, Form, Name } from '../../../foundation/html/components.tsx'
import { Field } from '../../../foundation/html/form-fields.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { provenBrowsers } from '../frame/page-request.ts'
import { LinkSentBefore } from '../frame/parts.tsx'

export const SIGN_UP_PATH = '/sign-up'

/** The school is cached, so a school without sign-up answers without any statement. */
export function checkSignUpIsOn({ school }: FastifyRequest): void {
  if (school.signUp) return
  const what = 'This school does not let people sign up. Ask the school for an account.'
  throw new RequestRefusedError(404, what)
}

/** A digest of the cookie of a browser before sign-in; empty if it has none. */
export function browserOf(request: FastifyRequest): string {
  const [cookie] = provenBrowsers(request, undefined)
  return cookie === undefined ? '' : sha256(cookie).toString('base64url')
}

const shape = z.strictObject(addedPerson)

type Typed = z.output<typeof shape>

export function judgeTyped(typed: Typed): Typed | { readonly problems: SignUpProblems } {
  const judged = judgeInput(shape, typed)
  if (judged.problems === undefined) {
    return { email: judged.data.email, name: judged.data.name.trim() }
  }
  const problems = judged.problems.map(({ pointer, detail }) => [pointer.slice(1), detail])
  const name = readName(typed.name)
  return {
    problems: {
      ...Object.fromEntries(problems),
      ...('problem' in name ? { name: name.problem } : {}),
    },
  }
}

type SignUpProblems = Readonly<Partial<Record<'name' | 'email', string>>>

interface SignUpValues {
  readonly name: string
  readonly email: string
}

export type SignUpState =
  | { kind: 'asking' }
  | { kind: 'wrong'; typed: SignUpValues; problems: SignUpProblems }
  | { kind: 'throttled'; typed: SignUpValues; retryAfterSeconds: number }
  | { kind: 'sent' }
  /** This installation sends no email. */
  | { kind: 'unavailable' }

interface SignUpProps {
  school: Branding
  action: string
  formToken: string
  state: SignUpState
  /** Where the person continues afterwards. */
  afterSignIn: { sealedRequest?: string | undefined; returnTo?: string | undefined }
  /** Sign-in, which continues to the same page. */
  signInUrl: string
}

export function signUpPage(props: SignUpProps): string {
  const { school, state, afterSignIn, signInUrl } = props
  if (state.kind === 'sent')
    return sentPage(school, signInUrl, afterSignIn.sealedRequest !== undefined)
  if (state.kind === 'unavailable') return unavailablePage(school, signInUrl)
  const typed = state.kind === 'asking' ? undefined : state.typed
  const problems: SignUpProblems = state.kind === 'wrong' ? state.problems : {}
  const focus = problems.name === undefined && problems.email !== undefined ? 'email' : 'name'
  return renderPage(
    <CardPage title="Make an account" isWrong={state.kind !== 'asking'} school={school}>
      <p class="lead">
        You become a student of <Name text={school.name} fallback="this school" />. We will email
        you a link to choose a password.
      </p>
      {state.kind === 'throttled' && <LinkSentBefore seconds={state.retryAfterSeconds} />}
      <Form
        action={props.action}
        formToken={props.formToken}
        hidden={{ request: afterSignIn.sealedRequest, return_to: afterSignIn.returnTo }}
      >
        <Field
          name="name"
          label="Your name"
          type="text"
          autocomplete="name"
          value={typed?.name}
          error={problems.name}
          autofocus={focus === 'name'}
        />
        <Field
          name="email"
          label="Email address"
          type="email"
          autocomplete="username"
          value={typed?.email}
          error={problems.email}
          autofocus={focus === 'email'}
        />
        <Button look="primary">Send link</Button>
      </Form>
      <p class="aside">
        Do you have an account? <a href={signInUrl}>Sign in</a>
      </p>
    </CardPage>,
  )
}

/** Does not tell whether the address has an account. */
function sentPage(school: Branding, signInUrl: string, appWaits: boolean): string {
  return renderPage(
    <CardPage title="Check your email" school={school}>
      <p>
        We have sent you an email that says how to go on. A link in it works for {SIGN_UP_MINUTES}{' '}
        minutes.
      </p>
      <p>No email? Check your spam folder, and the spelling of your address.</p>
      {appWaits && (
        <p>
          Open the link in this browser to continue to the app. If you open it elsewhere, sign in
          from this page afterwards.
        </p>
      )}
      <p class="aside">
        <a href={signInUrl}>Back to sign-in</a>
      </p>
    </CardPage>,
  )
}

function unavailablePage(school: Branding, signInUrl: string): string {
  return renderPage(
    <CardPage title="Make an account" school={school}>
      <p>
        This server does not send email, so it cannot send you a link. Ask{' '}
        <Name text={school.name} fallback="your school" /> for an account.
      </p>
      <p class="aside">
        <a href={signInUrl}>Back to sign-in</a>
      </p>
    </CardPage>,
  )
}
