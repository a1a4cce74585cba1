import type { FastifyInstance, FastifyReply } from 'fastify'
import { minimumLength } from '../../../domain/people/password-strength.ts'
import {
  findResetAccount,
  type ResetAccount,
  requestPasswordReset,
  resetPassword,
} from '../../../domain/people/reset-password.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { Button, Form, Name } from '../../../foundation/html/components.tsx'
import { Checkbox, Field } from '../../../foundation/html/form-fields.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { ButtonLink } from '../../../foundation/html/site-components.tsx'
import { clientAddress } from '../../../foundation/http/client-address.ts'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf } from '../frame/layout.tsx'
import { catchBusy } from '../frame/page-request.ts'
import { LinkSentBefore } from '../frame/parts.tsx'
import {
  AccountOfPassword,
  BusyAlert,
  NewPasswordField,
  type PasswordFormProblem,
  passwordProblem,
} from '../frame/password-fields.tsx'
import { rememberBrowser } from '../frame/session.ts'
import { type Visit, visitOf } from '../frame/visit.ts'
import { keepAfterSignIn, readAfterSignIn } from './after-sign-in.ts'
import { addMailLinkRoutes } from './mail-link.ts'

const ASK = '/forgotten-password'
const SET = '/reset-password'

/**
 * Sends a link by email that works once, within an hour. No answer shows whether an account exists.
 */
export function addForgottenPasswordRoutes(app: FastifyInstance, context: AppContext): void {
  const throttleKey = context.keyring.key('sign-in-throttle')

  app.get(ASK, async (request, reply) => {
    const query = queryOf(request)
    const state = { kind: query.has('sent') ? 'sent' : 'asking' } as const
    return await ask(await visitOf(context, request, reply), state, query)
  })

  app.post(ASK, async (request, reply) => {
    request.queuedMail = true
    const visit = await visitOf(context, request, reply)
    const form = visit.form()
    const email = form.get('email') ?? ''
    if (context.mailer === undefined) {
      return await ask(visit, { kind: 'asking' }, form)
    }
    if (email === '') return await ask(visit, { kind: 'missing' }, form, 400)
    const address = clientAddress(request)
    const outcome = await requestPasswordReset(
      acrossSchools(request.schoolDb),
      request.schoolDb,
      throttleKey,
      {
        email,
        address,
      },
    )
    if (outcome.kind === 'throttled') {
      reply.header('retry-after', outcome.retryAfterSeconds)
      return await ask(visit, outcome, form, 429)
    }
    const afterSignIn = readAfterSignIn(context.keyring, request.school.id, form)
    return visit.goTo(keepAfterSignIn(`${ASK}?sent`, afterSignIn))
  })

  addMailLinkRoutes<ResetAccount, PasswordFormProblem>(app, context, {
    path: SET,
    field: 'token',
    open: ({ db }, token) => findResetAccount(db, token),
    question: ({ opened: { email, hasSecondFactor }, link, ...props }) =>
      resetPasswordPage({ ...props, token: link, email, minimum: minimumLength(hasSecondFactor) }),
    expiredPage: resetExpiredPage,
    async act(visit, token, form) {
      const { request, reply } = visit
      const outcome = await catchBusy(
        resetPassword(acrossSchools(visit.db), visit.db, throttleKey, {
          token,
          next: form.get('new_password') ?? '',
          removesPasskeys: form.get('remove_passkeys') === 'yes',
          school: request.school,
          address: clientAddress(request),
          requestId: request.id,
        }),
      )
      if (outcome.kind === 'expired') return 'expired'
      if (outcome.kind !== 'changed') return outcome
      // The mailbox is proof enough: strangers who guess cannot keep the person from signing in
      // now.
      rememberBrowser(context, request, reply, outcome.email, ['mail_link'])
      return visit.goTo('/sign-in?reset')
    },
  })
}

async function ask(
  visit: Visit,
  state: ForgottenState,
  /** Fields of the query or the form. They say where a person who signs in after all continues. */
  fields: URLSearchParams,
  status = 200,
): Promise<FastifyReply> {
  const { request, context } = visit
  const afterSignIn = readAfterSignIn(context.keyring, request.school.id, fields)
  const page = forgottenPasswordPage({
    school: brandingOf(request.school),
    formToken: visit.formToken(),
    afterSignIn,
    signInUrl: keepAfterSignIn('/sign-in', afterSignIn),
    state: context.mailer === undefined ? { kind: 'unavailable' } : state,
  })
  return visit.page(page, status)
}

type ForgottenState =
  | { kind: 'asking' }
  | { kind: 'missing' }
  | { kind: 'throttled'; retryAfterSeconds: number }
  | { kind: 'sent' }
  /** This installation sends no email. */
  | { kind: 'unavailable' }

interface ForgottenProps {
  school: Branding
  formToken: string
  state: ForgottenState
  /** Where the person continues after signing in. */
  afterSignIn: { sealedRequest?: string | undefined; returnTo?: string | undefined }
  /** Sign-in, which continues to the same page. */
  signInUrl: string
}

export function forgottenPasswordPage(props: ForgottenProps): string {
  const { school, formToken, state, afterSignIn, signInUrl } = props
  if (state.kind === 'sent')
    return sentPage(school, signInUrl, afterSignIn.sealedRequest !== undefined)
  if (state.kind === 'unavailable') return unavailablePage(school, signInUrl)
  const wrong = state.kind !== 'asking'
  return renderPage(
    <CardPage
      title="Forgot password"
      heading="Forgot your password?"
      isWrong={wrong}
      school={school}
    >
      <p class="lead">We will email you a link to choose a new one.</p>
      {state.kind === 'throttled' && <LinkSentBefore seconds={state.retryAfterSeconds} />}
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
        <Button look="primary">Send link</Button>
      </Form>
      <p class="aside">
        <a href={signInUrl}>Back to sign-in</a>
      </p>
    </CardPage>,
  )
}

function sentPage(school: Branding, signInUrl: string, appWaits: boolean): string {
  return renderPage(
    <CardPage title="Check your email" school={school}>
      <p>
        If you have an account here with this address, we have sent you an email with a link. The
        link works once, within an hour.
      </p>
      <p>No email? Check your spam folder, or try another of your addresses.</p>
      <p>
        Still none? Ask <SchoolName school={school} />. <OperatorHelps />
      </p>
      {appWaits && (
        <p>Keep this page open: sign in from here with your new password to continue to the app.</p>
      )}
      <p class="aside">
        <a href={signInUrl}>Back to sign-in</a>
      </p>
    </CardPage>,
  )
}

function unavailablePage(school: Branding, signInUrl: string): string {
  return renderPage(
    <CardPage title="Forgot password" heading="Forgot your password?" school={school}>
      <p>
        This server does not send email, so it cannot send you a link. Ask{' '}
        <SchoolName school={school} />. <OperatorHelps />
      </p>
      <p class="aside">
        <a href={signInUrl}>Back to sign-in</a>
      </p>
    </CardPage>,
  )
}

function SchoolName({ school }: { school: Branding }) {
  return <Name text={school.name} fallback="your school" />
}

/** For people whom no mail can help: they have no role, or have never signed in. */
function OperatorHelps() {
  return <>The administrator of this server can set a new password for you.</>
}

interface ResetProps {
  school: Branding
  formToken: string
  token: string
  email: string
  /** Characters of the shortest password. */
  minimum: number
  problem?: PasswordFormProblem | undefined
}

export function resetPasswordPage(props: ResetProps): string {
  const { school, formToken, token, minimum, problem } = props
  return renderPage(
    <CardPage
      title="New password"
      heading="Choose a new password"
      isWrong={problem !== undefined}
      school={school}
    >
      <p class="lead">
        You will be signed out everywhere and all apps will be disconnected, at every school. Then
        sign in with the new password.
      </p>
      {problem?.kind === 'busy' && <BusyAlert />}
      <Form action="/reset-password" formToken={formToken} hidden={{ token }}>
        <AccountOfPassword email={props.email} />
        <NewPasswordField
          label="New password"
          minimum={minimum}
          error={problem?.kind === 'unfit' ? passwordProblem(problem.problem, minimum) : undefined}
          autofocus
        />
        <Checkbox
          id="remove_passkeys"
          name="remove_passkeys"
          value="yes"
          label="Remove passkeys that were added in the last week"
          hint="At every school. Choose this if another person may have used your account: they could have added one. Older passkeys and an authenticator app stay."
          checked={false}
        />
        <Button look="primary">Set password</Button>
      </Form>
    </CardPage>,
  )
}

/** Answers 400. */
export function resetExpiredPage(school: Branding): string {
  return renderPage(
    <CardPage title="This link has expired" school={school}>
      <p>A link for a new password works once, within an hour. Your password is unchanged.</p>
      <ButtonLink look="primary" href="/forgotten-password">
        Ask for a new link
      </ButtonLink>
    </CardPage>,
  )
}
