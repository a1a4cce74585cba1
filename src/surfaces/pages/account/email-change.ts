import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findChange, openChangeLink } from '../../../domain/people/email-change/email-change.ts'
import {
  confirmEmailChange,
  stopEmailChange,
} from '../../../domain/people/email-change/request-change.ts'
import { type Undoing, undoEmailChange } from '../../../domain/people/email-change/undo-change.ts'
import { findRemoval, takeBackReport } from '../../../domain/people/factors/lost-factors.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { brandingOf } from '../../../gate/branding.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { rememberBrowser } from '../known-browser.ts'
import { type Busy, orBusy } from '../or-busy.ts'
import { checkedForm, formTokenFor, redirectTo, sendPage } from '../page-request.ts'
import { queryOf } from '../site-frame.ts'
import {
  changeDonePage,
  changeQuestionPage,
  type DoneChange,
  EMAIL_CHANGE_PATH,
} from '../views/email-change.tsx'

/** The links in the mails about a new address. Opening one changes nothing, because mail scanners open links too. */
export function addEmailChangeRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(EMAIL_CHANGE_PATH, async (request, reply) => {
    const sealed = queryOf(request).get('link') ?? ''
    const link = openChangeLink(context.keyring, request.school.id, sealed)
    const change = link && (await findChange(request.at, link))
    if (link === undefined || change === undefined) return done(request, reply, { kind: 'expired' })
    const session = await findBrowserSession(request)
    const page = changeQuestionPage({
      school: brandingOf(request.school),
      formToken: formTokenFor(context.keyring, request, reply, session),
      link: sealed,
      mailbox: link.mailbox,
      email: link.mailbox === 'old' ? change.oldEmail : change.newEmail,
      isChanged: change.isChanged,
      needsFactor: change.needsFactor,
      areFactorsLost: (await findRemoval(acrossSchools(request.at), change.userId)) !== undefined,
      hasAgreed: link.mailbox === 'old' ? change.oldConfirmed : change.newConfirmed,
    })
    return sendPage(reply, request, 'site', page)
  })

  app.post(EMAIL_CHANGE_PATH, async (request, reply) => {
    request.queuedMail = true
    const session = await findBrowserSession(request)
    const form = checkedForm(context.keyring, request, session)
    const link = openChangeLink(context.keyring, request.school.id, form.get('link') ?? '')
    if (link === undefined) return done(request, reply, { kind: 'expired' })
    switch (form.get('decision')) {
      case 'agree': {
        const known = session && { id: session.id, userId: session.person.id }
        const by = { session: known, requestId: request.id }
        return done(request, reply, await confirmEmailChange(request.at, link, by))
      }
      case 'stop': {
        const stopped = await stopEmailChange(request.at, link)
        return done(request, reply, { kind: stopped ? 'stopped' : 'expired' })
      }
      // This mailbox alone may stop the removal, though not undo the change.
      case 'keep_factors': {
        const change = await findChange(request.at, link)
        const isKept =
          change?.isChanged === true &&
          (await takeBackReport(request.at, change.userId, request.id))
        return done(request, reply, { kind: isKept ? 'factors_kept' : 'expired' })
      }
      case 'undo': {
        const undone = await orBusy(undoEmailChange(request.at, link, request.id))
        return answerUndo(context, request, reply, undone)
      }
      default:
        return redirectTo(reply, request, 'site', '/')
    }
  })
}

/** What became of an undo, by the link or on the page of the account. */
export function answerUndo(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: Undoing | Busy,
): FastifyReply {
  if (outcome.kind === 'busy') reply.header('retry-after', outcome.retryAfterSeconds)
  // The mailbox is proof enough: strangers who guess cannot keep the person from signing in now.
  if (outcome.kind === 'undone')
    rememberBrowser(context, request, reply, outcome.email, ['mail_link'])
  return done(request, reply, outcome)
}

const STATUS: Readonly<Partial<Record<DoneChange['kind'], number>>> = {
  expired: 400,
  taken: 409,
  needs_factor: 403,
  busy: 503,
}

function done(request: FastifyRequest, reply: FastifyReply, change: DoneChange): FastifyReply {
  const page = changeDonePage(brandingOf(request.school), change)
  return sendPage(reply, request, 'site', page, STATUS[change.kind] ?? 200)
}
