import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  acceptInvitation,
  INVITATION_DAYS,
  type Invited,
  noteOpened,
  openInvitation,
} from '../../../domain/people/accept-invitation.ts'
import { INVITATION_PATH } from '../../../domain/people/link-paths.ts'
import { endSession } from '../../../domain/people/sessions.ts'
import { Email, Name } from '../../../foundation/html/components.tsx'
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
import { homeOf } from './after-sign-in.ts'
import { judgeTyped } from './sign-up-form.tsx'

/** For a person who has nothing to sign in with yet. */
export function invitationPage(props: FirstPasswordProps & { school: Branding }): string {
  const { school, problem } = props
  return renderPage(
    <CardPage
      title="Invitation"
      heading="Choose a password"
      isWrong={problem !== undefined}
      school={school}
    >
      <p class="lead">
        <Name text={school.name} fallback="This school" /> invited you. You will sign in with{' '}
        <Email text={props.email} /> and this password.
      </p>
      <FirstPasswordForm {...props} action={INVITATION_PATH} button="Accept invitation" />
    </CardPage>,
  )
}

/** For a person who has an account. They have proven the mailbox, so this may be told. */
export function invitationKnownPage(school: Branding, email: string): string {
  return renderPage(
    <CardPage
      title="Invitation"
      heading={
        <>
          Welcome to <Name text={school.name} fallback="this school" />
        </>
      }
      school={school}
    >
      <p>
        You already have an account with the address <Email text={email} />. Sign in with it.
      </p>
      <ButtonLink look="primary" href="/sign-in">
        Sign in
      </ButtonLink>
      <p class="aside">
        <a href="/forgotten-password">Forgot your password?</a>
      </p>
    </CardPage>,
  )
}

/** Answers 400. */
export function invitationExpiredPage(school: Branding): string {
  return renderPage(
    <CardPage title="This invitation has expired" school={school}>
      <p>
        An invitation works for {INVITATION_DAYS} days, while the school has you on its list. Ask{' '}
        <Name text={school.name} fallback="the school" /> to send it again.
      </p>
      <p>
        If you have accepted it already, <a href="/sign-in">sign in</a>.
      </p>
    </CardPage>,
  )
}

/**
 * The link in an invitation. Opening it changes nothing about the account, because mail scanners
 * open links too.
 */
export function addInvitationRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(INVITATION_PATH, async (request, reply) => {
    const sealed = queryOf(request).get('link') ?? ''
    const invited = await findInvited(context, request, sealed)
    if (invited === undefined) return expired(request, reply)
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    if (session?.person.id === invited.userId) return visit.goTo(homeOf(session.roles))
    if (invited.hasCredential) return known(request, reply, invited)
    return await ask(visit, { sealed, invited, name: invited.name })
  })

  app.post(INVITATION_PATH, async (request, reply) => {
    request.queuedMail = true
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const form = checkedSignInForm(context.keyring, request, session)
    const sealed = form.get('link') ?? ''
    const invited = await findInvited(context, request, sealed)
    if (invited === undefined) return expired(request, reply)
    if (invited.hasCredential) return known(request, reply, invited)
    const name = form.get('name') ?? ''
    const again = (problem: FirstPasswordProblem, status: number) =>
      ask(visit, { sealed, invited, name, problem }, status)
    const judged = judgeTyped({ name, email: invited.email })
    if ('problems' in judged) {
      const { name: wrong = 'Enter your name.' } = judged.problems
      return await again({ kind: 'name', problem: wrong }, 400)
    }
    const { schoolDb: db, school, id: requestId } = request
    const next = form.get('new_password') ?? ''
    const outcome = await catchBusy(
      acceptInvitation(db, { invited, name: judged.name, next, school, requestId }),
    )
    switch (outcome.kind) {
      case 'ended':
        return expired(request, reply)
      case 'unfit':
        return await again(outcome, 400)
      case 'busy':
        reply.header('retry-after', outcome.retryAfterSeconds)
        return await again(outcome, 503)
      case 'accepted': {
        // A new session, as at every sign-in.
        if (session !== undefined) await endSession(request.schoolDb, session.id)
        const begun = await beginSession(context, request, reply, outcome)
        return visit.goTo(begun ? homeOf(begun.roles) : '/sign-in')
      }
    }
  })
}

async function findInvited(
  { keyring }: AppContext,
  { schoolDb: db, school }: FastifyRequest,
  sealed: string,
): Promise<Invited | undefined> {
  const link = openInvitation(keyring, school.id, sealed)
  return link === undefined ? undefined : await noteOpened(db, link)
}

interface Asked {
  readonly sealed: string
  readonly invited: Invited
  readonly name: string
  readonly problem?: FirstPasswordProblem
}

async function ask(
  visit: Visit,
  { sealed, invited, name, problem }: Asked,
  status = 200,
): Promise<FastifyReply> {
  const { request } = visit
  const page = invitationPage({
    school: brandingOf(request.school),
    formToken: visit.formToken(),
    link: sealed,
    email: invited.email,
    name,
    problem,
  })
  return visit.page(page, status, 'authorization')
}

function known(request: FastifyRequest, reply: FastifyReply, { email }: Invited): FastifyReply {
  const page = invitationKnownPage(brandingOf(request.school), email)
  return sendPage(reply, request, 'authorization', page)
}

function expired(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const page = invitationExpiredPage(brandingOf(request.school))
  return sendPage(reply, request, 'authorization', page, 400)
}
