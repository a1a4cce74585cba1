import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type AnswerProblems,
  answerForm,
  findPublicForm,
  judgeAnswers,
  LONGEST,
  type PublicForm,
  refusalOf,
} from '../../../domain/content/answer-form.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { clientAddress } from '../../../foundation/http/client-address.ts'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { actAs, memberOf, SignInNeeded } from '../browser-session.ts'
import { ownerOf } from '../kept-forms/keep-form.ts'
import { checkedForm, formTokenFor, redirectTo, sendPage } from '../page-request.ts'
import { frameFor, slugOf, withoutNul } from '../site-frame.ts'
import { answerName, formPage } from '../views/form.tsx'
import { isPreview, withPreviewMark } from './preview.ts'

const PATH = '/forms/:slug'

/** A letter of three bytes, such as a Chinese one, is nine in the body of a form. */
const MOST_BYTES_OF_LETTER = 9
/** Visitors send these forms too, so the body has a bound: that of ten of the longest answers. */
const LONG_ANSWERS_BYTES = 10 * LONGEST.long_text * MOST_BYTES_OF_LETTER

const NOTICES = {
  sent: 'Thank you. Your answers were sent.',
  closed: { warning: 'Your answers were not sent: this form takes no more answers.' },
  members_only: { warning: 'Your answers were not sent: this form is for members of the school.' },
  answered: { warning: 'Your answers were not sent: you have answered this form before.' },
}

/** A form that is open takes the answers of visitors and members. */
export function addFormRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PATH, async (request, reply) => {
    const session = await findBrowserSession(request)
    const isMarked = isPreview(request, session)
    const form = await load(request, session, isMarked)
    return show(context, request, reply, session, { form, isMarked })
  })

  const bodyLimit = context.limits.formBodyBytes + LONG_ANSWERS_BYTES
  app.post(PATH, { bodyLimit, config: { showsAgain: true } }, async (request, reply) => {
    const session = await findBrowserSession(request)
    const form = await load(request, session)
    const here = `/forms/${form.slug}`
    request.returnTo = here
    const userId = memberOf(session) ?? null
    // What was typed is kept over the sign-in. A form of a session is never taken as that of a visitor without a name.
    const asksForPerson = form.oncePerMember || ownerOf(context, request) !== undefined
    if (session === undefined && asksForPerson) throw new SignInNeeded(here)
    if (session !== undefined) actAs(request, session, here)
    const sent = checkedForm(context.keyring, request, session)
    const refused = refusalOf(form, userId)
    if (refused !== undefined) return redirectTo(reply, request, 'site', `${here}?done=${refused}`)
    const typed = (name: string) => withoutNul(sent.get(answerName(name)) ?? '')
    if (sent.has('show_again')) return show(context, request, reply, session, { form, typed })
    const judged = judgeAnswers(form.questions, typed)
    if ('problems' in judged) {
      return show(context, request, reply, session, { form, typed, ...judged, status: 422 })
    }
    const key = context.keyring.key('sign-in-throttle')
    const sender = { userId, address: clientAddress(request) }
    const outcome = await answerForm(request.at, key, form, sender, judged.answers)
    if (outcome.kind === 'throttled') {
      reply.header('retry-after', outcome.retryAfterSeconds)
      const { retryAfterSeconds } = outcome
      return show(context, request, reply, session, { form, typed, retryAfterSeconds, status: 429 })
    }
    return redirectTo(reply, request, 'site', `${here}?done=${outcome.kind}`)
  })
}

async function load(
  request: FastifyRequest,
  session: BrowserSession | undefined,
  isMarked = false,
): Promise<PublicForm> {
  const slug = slugOf(request)
  const form = await findPublicForm(request.at, slug, memberOf(session) ?? null, isMarked)
  if (form !== undefined) return form
  throw new RequestRefusedError(404, 'This form does not exist, or it is not open.')
}

interface Shown {
  readonly form: PublicForm
  readonly typed?: (name: string) => string
  readonly problems?: AnswerProblems
  readonly retryAfterSeconds?: number
  readonly status?: number
  /** Whether an operator asked for it as it will look when it is open. */
  readonly isMarked?: boolean
}

function show(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession | undefined,
  { status, isMarked = false, ...shown }: Shown,
): FastifyReply {
  const { isOpen: isPublic } = shown.form
  const frame = frameFor(context, request, reply, session, NOTICES)
  const page = formPage({
    ...withPreviewMark(frame, isMarked, { isPublic }),
    isPreview: isMarked && !isPublic,
    formToken: formTokenFor(context.keyring, request, reply, session),
    isMember: memberOf(session) !== undefined,
    ...shown,
  })
  return sendPage(reply, request, 'site', page, status)
}
