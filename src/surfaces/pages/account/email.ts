import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { email } from '../../../domain/operation/fields.ts'
import {
  endPendingChange,
  findChangeToUndo,
  findPendingChange,
  requestEmailChange,
} from '../../../domain/people/email-change/request-change.ts'
import { undoByFactor } from '../../../domain/people/email-change/undo-change.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession } from '../browser-session.ts'
import { orBusy } from '../or-busy.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { requireOwnFactor } from '../step-up/recent-proof.ts'
import { changeEmailPage, type EmailProblem } from '../views/change-email.tsx'
import { answerUndo } from './email-change.ts'

const PATH = '/account/email'

const NOTICES = {
  asked: 'We have sent an email to both addresses. Open the link in each of them.',
  cancelled: 'The change was canceled. Your email address stays the same.',
}

/** The signed-in person asks for another address. `email-change.ts` has what the two mailboxes do. */
export function addEmailRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PATH, async (request, reply) => {
    const session = await loadBrowserSession(request)
    await requireOwnFactor(request, session, PATH)
    return await show(context, request, reply, session)
  })

  app.post(PATH, async (request, reply) => {
    request.queuedMail = true
    const session = await loadBrowserSession(request, PATH)
    const form = checkedForm(context.keyring, request, session)
    await requireOwnFactor(request, session, PATH)
    const typed = (form.get('new_email') ?? '').trim()
    const again = (problem: EmailProblem, status: number) =>
      show(context, request, reply, session, { typed, problem }, status)
    if (context.mailer === undefined) return await show(context, request, reply, session)
    if (!email.safeParse(typed).success) return await again({ kind: 'no_address' }, 400)
    const throttleKey = context.keyring.key('sign-in-throttle')
    const outcome = await requestEmailChange(request.at, throttleKey, session, typed)
    switch (outcome.kind) {
      case 'asked':
        return redirectTo(reply, request, 'site', `${PATH}?done=asked`)
      case 'throttled':
        reply.header('retry-after', outcome.retryAfterSeconds)
        return await again(outcome, 429)
      case 'same':
      case 'no_school':
        return await again(outcome, 400)
    }
  })

  app.post(`${PATH}/cancel`, async (request, reply) => {
    const session = await loadBrowserSession(request, PATH)
    checkedForm(context.keyring, request, session)
    await request.at.transaction((tx) => endPendingChange(acrossSchools(tx), session.person.id))
    return redirectTo(reply, request, 'site', `${PATH}?done=cancelled`)
  })

  app.post(`${PATH}/undo`, async (request, reply) => {
    request.queuedMail = true
    const session = await loadBrowserSession(request, PATH)
    const form = checkedForm(context.keyring, request, session)
    await requireOwnFactor(request, session, PATH)
    const id = form.get('change') ?? ''
    const outcome = isUuid(id)
      ? await orBusy(undoByFactor(request.at, session, id, request.id))
      : ({ kind: 'expired' } as const)
    return answerUndo(context, request, reply, outcome)
  })
}

async function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession,
  { typed, problem }: { typed?: string; problem?: EmailProblem } = {},
  status = 200,
): Promise<FastifyReply> {
  const page = changeEmailPage({
    ...frameFor(context, request, reply, session, NOTICES),
    email: session.person.email,
    mailIsSent: context.mailer !== undefined,
    pending: await findPendingChange(acrossSchools(request.at), session.person.id),
    undoable: await findChangeToUndo(acrossSchools(request.at), session.person.id),
    typed,
    problem,
  })
  return sendPage(reply, request, 'site', page, status)
}
