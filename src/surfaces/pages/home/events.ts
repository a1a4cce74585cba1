import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../../domain/actor/actor.ts'
import { type EventOfViewer, findPublicEvent } from '../../../domain/events/public-events.ts'
import {
  changeRegistration,
  countRegistration,
  createRegistration,
} from '../../../domain/events/registration-operations.ts'
import { performOperation } from '../../../domain/operation/operation.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { TooManyRequestsError } from '../../../foundation/http/rate-limit.ts'
import { findBrowserSession } from '../../../gate/browser-gate.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession, memberOf } from '../browser-session.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { frameFor, slugOf } from '../site-frame.ts'
import { eventPage } from '../views/event.tsx'
import { isPreview, withPreviewMark } from './preview.ts'

const PATH = '/events/:slug'

const NOTICES = {
  registered: 'You have a place.',
  canceled: 'Your registration is canceled.',
  refused: { warning: 'Nothing was changed. Look at the event again.' },
}

/** The page of an event, where members register if it is free and has a place. */
export function addEventRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PATH, async (request, reply) => {
    const session = await findBrowserSession(request)
    const isMarked = isPreview(request, session)
    const event = await load(request, session, isMarked)
    const page = eventPage({
      ...withPreviewMark(frameFor(context, request, reply, session, NOTICES), isMarked, event),
      timeZone: request.school.timeZone,
      contactEmail: request.school.contactEmail,
      event,
      isMember: memberOf(session) !== undefined,
      isPreview: isMarked && !event.isPublic,
    })
    return sendPage(reply, request, 'site', page)
  })

  app.post(PATH, async (request, reply) => {
    const here = `/events/${encodeURIComponent(slugOf(request))}`
    const session = await loadBrowserSession(request, here)
    const form = checkedForm(context.keyring, request, session)
    await checkTries(context, request, reply, session)
    const event = await load(request, session)
    const wanted = form.get('registration')
    const isDone =
      wanted === 'register'
        ? await register(request, session, event)
        : wanted === 'cancel' && (await cancel(request, session, event))
    const word = isDone ? (wanted === 'register' ? 'registered' : 'canceled') : 'refused'
    return redirectTo(reply, request, 'site', `${here}?done=${word}`)
  })
}

async function checkTries(
  { keyring }: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { person }: BrowserSession,
): Promise<void> {
  const wait = await countRegistration(request.at, keyring.key('sign-in-throttle'), person.id)
  if (wait === 0) return
  reply.header('retry-after', wait)
  throw new TooManyRequestsError(wait)
}

async function register(
  request: FastifyRequest,
  session: BrowserSession,
  event: EventOfViewer,
): Promise<boolean> {
  const { kind } = await performOperation(createRegistration, request.at, by(request, session), {
    event_id: event.id,
    member_id: session.person.id,
  })
  return kind === 'done'
}

async function cancel(
  request: FastifyRequest,
  session: BrowserSession,
  event: EventOfViewer,
): Promise<boolean> {
  if (event.registration === null) return false
  const { kind } = await performOperation(changeRegistration, request.at, by(request, session), {
    id: event.registration.id,
    state: 'canceled',
  })
  return kind === 'done'
}

function by(request: FastifyRequest, { person, roles }: BrowserSession): Actor {
  const { origin } = request.school
  return { via: 'account', userId: person.id, roles, origin, requestId: request.id }
}

async function load(
  request: FastifyRequest,
  session: BrowserSession | undefined,
  isMarked = false,
): Promise<EventOfViewer> {
  const event = await findPublicEvent(request.at, slugOf(request), memberOf(session), isMarked)
  if (event !== undefined) return event
  throw new RequestRefusedError(404, 'This event does not exist, or it is no longer public.')
}
