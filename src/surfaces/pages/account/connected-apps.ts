import type { FastifyInstance } from 'fastify'
import { connectedApps, endConnectedApp } from '../../../domain/grants/connected-apps.ts'
import { activityOfPerson } from '../../../domain/grants/read-activity.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession } from '../browser-session.ts'
import { checkedForm, redirectTo, sendPage } from '../page-request.ts'
import { frameFor, queryOf, withoutNul } from '../site-frame.ts'
import { connectedAppsPage } from '../views/connected-apps.tsx'

const PATH = '/account/apps'
/** How many authorizations a page shows. */
const SHOWN = 50

const NOTICES = {
  ended: 'Ended. The app can no longer use your account from that device.',
  'all-ended': 'Ended. The app can no longer use your account at this school.',
  nothing: { warning: 'That access had already ended.' },
}

export function addConnectedAppRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PATH, async (request, reply) => {
    const session = await loadBrowserSession(request)
    const before = queryOf(request).get('before') ?? ''
    const { id } = session.person
    const { apps, next } = await connectedApps(request.at, id, {
      before: isUuid(before) ? before : undefined,
      limit: SHOWN,
    })
    const clientIds = apps.map(({ clientId }) => clientId)
    const page = connectedAppsPage({
      ...frameFor(context, request, reply, session, NOTICES),
      apps,
      next,
      activity: await activityOfPerson(request.at, id, clientIds),
      isFirst: before === '',
      timeZone: request.school.timeZone,
      variant: request.school.variant,
      assistantsCanBeOffered: request.school.mcpConnections,
    })
    return sendPage(reply, request, 'site', page)
  })

  app.post(`${PATH}/end`, async (request, reply) => {
    const session = await loadBrowserSession(request, PATH)
    const form = checkedForm(context.keyring, request, session)
    const authorizationId = form.get('authorization') ?? ''
    const clientId = form.get('client')
    const what = clientId !== null ? { clientId: withoutNul(clientId) } : { authorizationId }
    const { id } = session.person
    const by = { userId: id, requestId: request.id }
    const ended =
      clientId !== null || isUuid(authorizationId)
        ? await endConnectedApp(request.at, id, what, by)
        : 0
    const all = clientId === null ? 'ended' : 'all-ended'
    return redirectTo(reply, request, 'site', `${PATH}?done=${ended === 0 ? 'nothing' : all}`)
  })
}
