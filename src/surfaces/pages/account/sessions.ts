import type { FastifyInstance } from 'fastify'
import {
  endBrowser,
  endOtherBrowsers,
  signedInBrowsers,
} from '../../../domain/people/signed-in-browsers.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession } from '../browser-session.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { requireRecentProof } from '../step-up/recent-proof.ts'
import { SESSIONS_PATH as PATH, sessionsPage } from '../views/sessions.tsx'

const NOTICES = {
  ended: 'That browser was signed out.',
  'others-ended': 'All other browsers were signed out, at every school.',
  'all-ended':
    'All other browsers were signed out, and all apps have lost their access, at every school.',
  nothing: { warning: 'That browser had already been signed out.' },
}

/** The browsers in which the person is signed in. */
export function addSessionRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PATH, async (request, reply) => {
    const session = await loadBrowserSession(request)
    const db = acrossSchools(request.at)
    const page = sessionsPage({
      ...frameFor(context, request, reply, session, NOTICES),
      ...(await signedInBrowsers(db, request.school.id, session.person.id)),
      current: session.id,
      timeZone: request.school.timeZone,
    })
    return sendPage(reply, request, 'site', page)
  })

  app.post(`${PATH}/end`, async (request, reply) => {
    const session = await loadBrowserSession(request, PATH)
    const id = checkedForm(context.keyring, request, session).get('session') ?? ''
    // Otherwise who stole one session could sign the person out everywhere else.
    requireRecentProof(request, session)
    const ended = isUuid(id) && (await endBrowser(request.at, session, id, request.id))
    return redirectTo(reply, request, 'site', `${PATH}?done=${ended ? 'ended' : 'nothing'}`)
  })

  app.post(`${PATH}/end-others`, async (request, reply) => {
    const session = await loadBrowserSession(request, PATH)
    const endsApps = checkedForm(context.keyring, request, session).get('apps') === 'yes'
    requireRecentProof(request, session)
    await endOtherBrowsers(request.at, session, { endsApps, requestId: request.id })
    const done = endsApps ? 'all-ended' : 'others-ended'
    return redirectTo(reply, request, 'site', `${PATH}?done=${done}`)
  })
}
