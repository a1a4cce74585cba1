import type { FastifyInstance } from 'fastify'
import { offeredAssistants } from '../../../domain/clients/applications/offered-assistants.ts'
import { connectedApps } from '../../../domain/grants/connected-apps.ts'
import { schoolsOfPerson } from '../../../domain/people/membership.ts'
import { pictureUrl } from '../../../domain/people/person.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession } from '../browser-session.ts'
import { sendPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { accountPage } from '../views/account.tsx'

const NOTICES = {
  password: 'Your password was changed, and you were signed out everywhere else.',
  'password-everywhere':
    'Your password was changed. You were signed out everywhere else, and all apps were disconnected.',
}

/** A person with more has so many apps that their number says nothing. */
const COUNTED_AUTHORIZATIONS = 20

export function addAccountRoutes(app: FastifyInstance, context: AppContext): void {
  app.get('/account', async (request, reply) => {
    const session = await loadBrowserSession(request)
    const { person, roles } = session
    const [{ apps, next }, schools, offered] = await Promise.all([
      connectedApps(request.at, person.id, { limit: COUNTED_AUTHORIZATIONS }),
      schoolsOfPerson(acrossSchools(request.at), person.id),
      offeredAssistants(request.at),
    ])
    const page = accountPage({
      ...frameFor(context, request, reply, session, NOTICES),
      person: { ...person, avatarUrl: pictureUrl(person.avatarUrl, '') },
      roles,
      appCount: next === undefined ? apps.length : undefined,
      assistants: offered.map(({ name }) => name),
      assistantsCanBeOffered: request.school.mcpConnections,
      otherSchools: schools
        .filter(({ id }) => id !== request.school.id)
        .map(({ name, origin }) => ({ name, url: origin })),
    })
    return sendPage(reply, request, 'site', page)
  })
}
