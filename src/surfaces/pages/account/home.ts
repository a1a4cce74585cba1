import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { productsOf } from '../../../domain/commerce/bought-access.ts'
import { paymentsToPay } from '../../../domain/commerce/payments-of-member.ts'
import { meetingsToCome, TAKES_PLACE } from '../../../domain/consulting/meetings-of-member.ts'
import { nextEventsOf } from '../../../domain/events/registrations-of-member.ts'
import { coursesInUse } from '../../../domain/learning/enrolled-courses.ts'
import type { OutlineCache } from '../../../domain/learning/outline.ts'
import { countUnreadOf, inboxOf } from '../../../domain/notifications/inbox.ts'
import { findDeletions } from '../../../domain/people/deletion/deletion-requests.ts'
import { findRemoval } from '../../../domain/people/factors/lost-factors.ts'
import { passkeysOf } from '../../../domain/people/passkeys/passkeys.ts'
import { pictureUrl } from '../../../domain/people/person.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession, memberOf } from '../browser-session.ts'
import { sendPage, sendScriptedPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { isRecent } from '../step-up/recent-proof.ts'
import { memberHomePage, scriptOfHome, strangerHomePage } from '../views/member/home.tsx'
import { MOST_DUE } from '../views/member/payment-due.tsx'
import type { SiteFrame } from '../views/site-layout.tsx'
import { offerPasskey } from './passkeys.ts'
import { withLines } from './payments.ts'
import { shownCourses } from './shown-courses.ts'

const NOTICES = { passkey: 'Your passkey is ready. You can sign in with it from now on.' }

const COURSES_SHOWN = 6

const latest = (limit: number) => ({ limit, fromEnd: false })

/** The home of a member: what they have at the school, and what to do next. */
export function addMemberHomeRoutes(
  app: FastifyInstance,
  context: AppContext,
  outlines: OutlineCache,
): void {
  app.get('/account', async (request, reply) => {
    const session = await loadBrowserSession(request)
    const frame = frameFor(context, request, reply, session, NOTICES)
    if (memberOf(session) !== undefined) {
      return await showHome(context, request, reply, session, { ...frame, outlines })
    }
    const { signUp, contactEmail } = request.school
    return sendPage(reply, request, 'site', strangerHomePage({ ...frame, signUp, contactEmail }))
  })
}

async function showHome(
  context: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: BrowserSession,
  { outlines, ...frame }: SiteFrame & { readonly outlines: OutlineCache },
): Promise<FastifyReply> {
  const { at } = request
  const { timeZone, videoHosts } = request.school
  const { id } = session.person
  const now = session.readAt
  const [
    courses,
    meetings,
    toPay,
    inbox,
    unread,
    events,
    downloads,
    waitingDeletions,
    removalDueAt,
    passkey,
  ] = await Promise.all([
    coursesInUse(at, id, COURSES_SHOWN).then((found) =>
      shownCourses(at, id, outlines, found, videoHosts),
    ),
    meetingsToCome(at, id, { states: TAKES_PLACE, now }, { limit: 1 }),
    paymentsToPay(at, id, MOST_DUE + 1).then((found) => withLines(at, found)),
    inboxOf(at, id, latest(3)),
    countUnreadOf(at, id),
    nextEventsOf(at, id, 3),
    productsOf(at, id, latest(3)),
    findDeletions(at, id),
    findRemoval(acrossSchools(at), id),
    firstPasskey(context, request, session, frame),
  ])
  const props = {
    person: { ...session.person, avatarUrl: pictureUrl(session.person.avatarUrl, '') },
    ...{ now, timeZone },
    ...{
      courses,
      meetings,
      toPay,
      inbox,
      unread,
      events,
      downloads,
      waitingDeletions,
      removalDueAt,
      passkey,
    },
  }
  const page = memberHomePage({ ...frame, ...props })
  const script = scriptOfHome(props)
  return script === undefined
    ? sendPage(reply, request, 'site', page)
    : sendScriptedPage(reply, request, 'site', script, page)
}

/** Undefined for a person who has one, or whose last proof is too old to make one without being asked for it again. */
async function firstPasskey(
  context: AppContext,
  request: FastifyRequest,
  session: BrowserSession,
  frame: SiteFrame,
) {
  if (!isRecent(session)) return undefined
  const known = await passkeysOf(request.at, session.person.id)
  if (known.passkeys.length > 0) return undefined
  const { question, silent } = await offerPasskey(context, request, session, known, frame)
  return question === undefined ? undefined : { question, silent }
}
