import type { FastifyInstance } from 'fastify'
import { offeredAssistants } from '../../../domain/clients/assistants.ts'
import { connectedApps } from '../../../domain/grants/connected-apps.ts'
import { findDeletions } from '../../../domain/people/deletion/deletion-requests.ts'
import { hasSecondFactor } from '../../../domain/people/factors/authenticators.ts'
import { findRemoval } from '../../../domain/people/factors/lost-factors.ts'
import { schoolsOfPerson } from '../../../domain/people/membership.ts'
import { passkeysOf } from '../../../domain/people/passkeys/passkeys.ts'
import { pictureUrl } from '../../../domain/people/person.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import type { AppContext } from '../../../gate/context.ts'
import { loadBrowserSession } from '../browser-session.ts'
import { sendScriptedPage } from '../page-request.ts'
import { frameFor } from '../site-frame.ts'
import { SETTINGS_PATH } from '../views/account-paths.ts'
import { accountSettingsPage } from '../views/account-settings.tsx'
import { PASSKEY_SCRIPT } from '../views/passkey-parts.tsx'
import { offerPasskey } from './passkeys.ts'

const NOTICES = {
  password: 'Your password was changed, and you were signed out everywhere else.',
  'password-everywhere':
    'Your password was changed. You were signed out everywhere else, and all apps were disconnected.',
  passkey: 'Your passkey is ready. You can sign in with it from now on.',
  deletion: 'We have noted it. You can change your mind until the day below.',
  kept: 'Nothing will be deleted.',
  'nothing-to-keep': { warning: 'There was nothing to cancel.' },
}

/** A person with more has so many apps that their number says nothing. */
const COUNTED_AUTHORIZATIONS = 20

export function addSettingsRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(SETTINGS_PATH, async (request, reply) => {
    const session = await loadBrowserSession(request)
    const { person, roles } = session
    const [{ apps, next }, schools, offered, passkeys, hasFactor, waiting, removalDueAt] =
      await Promise.all([
        connectedApps(request.at, person.id, { limit: COUNTED_AUTHORIZATIONS }),
        schoolsOfPerson(acrossSchools(request.at), person.id),
        offeredAssistants(request.at),
        passkeysOf(request.at, person.id),
        hasSecondFactor(acrossSchools(request.at), person.id),
        findDeletions(request.at, person.id),
        findRemoval(acrossSchools(request.at), person.id),
      ])
    const frame = frameFor(context, request, reply, session, NOTICES)
    const page = accountSettingsPage({
      ...frame,
      person: { ...person, avatarUrl: pictureUrl(person.avatarUrl, '') },
      roles,
      waitingDeletions: waiting,
      removalDueAt,
      timeZone: request.school.timeZone,
      appCount: next === undefined ? apps.length : undefined,
      assistants: offered.map(({ name }) => name),
      assistantsCanBeOffered: request.school.mcpConnections,
      hasSecondFactor: hasFactor,
      otherSchools: schools
        .filter(({ id }) => id !== request.school.id)
        .map(({ name, origin }) => ({ name, url: origin })),
      passkeys: await offerPasskey(context, request, session, passkeys, frame),
    })
    return sendScriptedPage(reply, request, 'site', PASSKEY_SCRIPT, page)
  })
}
