import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { endSession } from '../../../domain/people/sessions.ts'
import { finishSignUp } from '../../../domain/people/sign-up.ts'
import {
  openSignUpLink,
  SIGN_UP_MINUTES,
  type SignUpLink,
} from '../../../domain/people/sign-up-link.ts'
import { Email } from '../../../foundation/html/components.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { ButtonLink } from '../../../foundation/html/site-components.tsx'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import {
  FirstPasswordForm,
  type FirstPasswordProblem,
  type FirstPasswordProps,
} from '../frame/first-password.tsx'
import { queryOf } from '../frame/layout.tsx'
import { catchBusy, checkedSignInForm, sendPage } from '../frame/page-request.ts'
import { beginSession } from '../frame/session.ts'
import { type Visit, visitOf } from '../frame/visit.ts'
import { placeAfterSignIn, readAfterSignIn } from './after-sign-in.ts'
import { browserOf, checkSignUpIsOn, judgeTyped, SIGN_UP_PATH } from './sign-up-form.tsx'

const FINISH_PATH = `${SIGN_UP_PATH}/finish`

/** The link in the mail. Opening it changes nothing, because mail scanners open links too. */
export function addFinishRoutes(app: FastifyInstance, context: AppContext): void {
  const { keyring } = context

  app.get(FINISH_PATH, async (request, reply) => {
    checkSignUpIsOn(request)
    const sealed = queryOf(request).get('link') ?? ''
    const link = openSignUpLink(keyring, request.school.id, sealed)
    if (link === undefined) return expired(request, reply)
    const visit = await visitOf(context, request, reply)
    return await ask(visit, { sealed, link, name: link.name })
  })

  app.post(FINISH_PATH, async (request, reply) => {
    request.queuedMail = true
    checkSignUpIsOn(request)
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const form = checkedSignInForm(keyring, request, session)
    const sealed = form.get('link') ?? ''
    const link = openSignUpLink(keyring, request.school.id, sealed)
    if (link === undefined) return expired(request, reply)
    const name = form.get('name') ?? ''
    const again = (problem: FirstPasswordProblem, status: number) =>
      ask(visit, { sealed, link, name, problem }, status)
    const judged = judgeTyped({ name, email: link.email })
    if ('problems' in judged) {
      const { name: wrong = 'Enter your name.' } = judged.problems
      return await again({ kind: 'name', problem: wrong }, 400)
    }
    const { schoolDb: db, school, id: requestId } = request
    const next = form.get('new_password') ?? ''
    const outcome = await catchBusy(
      finishSignUp(db, { link, name: judged.name, next, school, requestId }),
    )
    switch (outcome.kind) {
      case 'known':
        return visit.page(signUpKnownPage(brandingOf(request.school)), 400, 'authorization')
      case 'unfit':
        return await again(outcome, 400)
      case 'busy':
        reply.header('retry-after', outcome.retryAfterSeconds)
        return await again(outcome, 503)
      case 'signed_up': {
        // A new session, as at every sign-in.
        if (session !== undefined) await endSession(request.schoolDb, session.id)
        const begun = await beginSession(context, request, reply, outcome)
        const place = begun ? placeAfterSignUp(context, request, link) : '/sign-in'
        return visit.goTo(place, 'authorization')
      }
    }
  })
}

/**
 * Only the browser that asked continues to the app. Otherwise a stranger who types the address of
 * another person could lead them, by a mail of the school, to a consent that the stranger chose.
 */
function placeAfterSignUp(context: AppContext, request: FastifyRequest, link: SignUpLink): string {
  if (link.browser === '' || link.browser !== browserOf(request)) return placeAfterSignIn({}, [])
  const { request: sealedRequest, return_to: returnTo } = link
  const fields = Object.entries({ request: sealedRequest, return_to: returnTo })
  const given = fields.filter((field): field is [string, string] => field[1] !== undefined)
  const { keyring } = context
  const after = readAfterSignIn(keyring, request.school.id, new URLSearchParams(given))
  return placeAfterSignIn(after, [])
}

interface Asked {
  readonly sealed: string
  readonly link: SignUpLink
  readonly name: string
  readonly problem?: FirstPasswordProblem
}

async function ask(
  visit: Visit,
  { sealed, link, name, problem }: Asked,
  status = 200,
): Promise<FastifyReply> {
  const { request } = visit
  const page = finishSignUpPage({
    school: brandingOf(request.school),
    action: FINISH_PATH,
    formToken: visit.formToken(),
    link: sealed,
    email: link.email,
    name,
    problem,
  })
  return visit.page(page, status, 'authorization')
}

function expired(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const page = linkExpiredPage(brandingOf(request.school), SIGN_UP_PATH)
  return sendPage(reply, request, 'authorization', page, 400)
}

interface FinishProps extends FirstPasswordProps {
  school: Branding
  action: string
}

export function finishSignUpPage(props: FinishProps): string {
  const { school, problem } = props
  return renderPage(
    <CardPage
      title="Your account"
      heading="Choose a password"
      isWrong={problem !== undefined}
      school={school}
    >
      <p class="lead">
        Your account has the address <Email text={props.email} />.
      </p>
      <FirstPasswordForm {...props} button="Make account" />
    </CardPage>,
  )
}

/** Answers 400. */
export function linkExpiredPage(school: Branding, signUpUrl: string): string {
  return renderPage(
    <CardPage title="This link has expired" school={school}>
      <p>A link to make an account works for {SIGN_UP_MINUTES} minutes.</p>
      <ButtonLink look="primary" href={signUpUrl}>
        Ask for a new link
      </ButtonLink>
    </CardPage>,
  )
}

/** Answers 400. The reader has proven the mailbox. */
export function signUpKnownPage(school: Branding): string {
  return renderPage(
    <CardPage title="You have an account" school={school}>
      <p>
        There is an account with this email address already, or there was one until a few days ago.
      </p>
      <ButtonLink look="primary" href="/sign-in?return_to=%2Fsign-up">
        Sign in
      </ButtonLink>
      <p class="aside">
        <a href="/forgotten-password">Forgot your password?</a>
      </p>
    </CardPage>,
  )
}
