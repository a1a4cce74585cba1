import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  acceptInvitation,
  type Invited,
  noteOpened,
  openInvitation,
} from '../../../domain/people/accept-invitation.ts'
import { endSession } from '../../../domain/people/sessions.ts'
import { brandingOf } from '../../../gate/branding.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { homeOf } from '../after-sign-in.ts'
import { beginSession } from '../browser-session.ts'
import { orBusy } from '../or-busy.ts'
import { checkedSignInForm, formTokenFor, redirectTo, sendPage } from '../page-request.ts'
import { judgeTyped } from '../sign-up/sign-up-form.ts'
import { queryOf } from '../site-frame.ts'
import type { FirstPasswordProblem } from '../views/first-password.tsx'
import {
  INVITATION_PATH,
  invitationExpiredPage,
  invitationKnownPage,
  invitationPage,
} from '../views/invitation.tsx'

/** The link in an invitation. Opening it changes nothing about the account, because mail scanners open links too. */
export function addInvitationRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(INVITATION_PATH, async (request, reply) => {
    const sealed = queryOf(request).get('link') ?? ''
    const invited = await findInvited(context, request, sealed)
    if (invited === undefined) return expired(request, reply)
    const session = await findBrowserSession(request)
    if (session?.person.id === invited.userId)
      return redirectTo(reply, request, 'site', homeOf(session.roles))
    if (invited.hasCredential) return known(request, reply, invited)
    return await ask(context, request, reply, { sealed, invited, name: invited.name })
  })

  app.post(INVITATION_PATH, async (request, reply) => {
    request.queuedMail = true
    const session = await findBrowserSession(request)
    const form = checkedSignInForm(context.keyring, request, session)
    const sealed = form.get('link') ?? ''
    const invited = await findInvited(context, request, sealed)
    if (invited === undefined) return expired(request, reply)
    if (invited.hasCredential) return known(request, reply, invited)
    const name = form.get('name') ?? ''
    const again = (problem: FirstPasswordProblem, status: number) =>
      ask(context, request, reply, { sealed, invited, name, problem }, status)
    const judged = judgeTyped({ name, email: invited.email })
    if ('problems' in judged) {
      const { name: wrong = 'Enter your name.' } = judged.problems
      return await again({ kind: 'name', problem: wrong }, 400)
    }
    const { at, school, id: requestId } = request
    const next = form.get('new_password') ?? ''
    const outcome = await orBusy(
      acceptInvitation(at, { invited, name: judged.name, next, school, requestId }),
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
        if (session !== undefined) await endSession(request.at, session.id)
        const begun = await beginSession(context, request, reply, outcome)
        return redirectTo(reply, request, 'site', begun ? homeOf(begun.roles) : '/sign-in')
      }
    }
  })
}

async function findInvited(
  { keyring }: AppContext,
  { at, school }: FastifyRequest,
  sealed: string,
): Promise<Invited | undefined> {
  const link = openInvitation(keyring, school.id, sealed)
  return link === undefined ? undefined : await noteOpened(at, link)
}

interface Asked {
  readonly sealed: string
  readonly invited: Invited
  readonly name: string
  readonly problem?: FirstPasswordProblem
}

async function ask(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { sealed, invited, name, problem }: Asked,
  status = 200,
): Promise<FastifyReply> {
  const session = await findBrowserSession(request)
  const page = invitationPage({
    school: brandingOf(request.school),
    formToken: formTokenFor(context.keyring, request, reply, session),
    link: sealed,
    email: invited.email,
    name,
    problem,
  })
  return sendPage(reply, request, 'authorization', page, status)
}

function known(request: FastifyRequest, reply: FastifyReply, { email }: Invited): FastifyReply {
  const page = invitationKnownPage(brandingOf(request.school), email)
  return sendPage(reply, request, 'authorization', page)
}

function expired(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const page = invitationExpiredPage(brandingOf(request.school))
  return sendPage(reply, request, 'authorization', page, 400)
}
